"""What is kept of each frame, against plain sums."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.video.signals import FrameSignals, fingerprint, running_median

Frame = npt.NDArray[np.uint8]


def _frame(seed: int, height: int = 96, width: int = 128) -> Frame:
    return np.random.default_rng(seed).integers(0, 256, (height, width)).astype(np.uint8)


def test_a_fingerprint_is_the_laplacian_of_128_by_96_px() -> None:
    """Four neighbours less four times the pixel, mirrored at the border; larger frames are averaged before."""
    frame = _frame(1)
    around = np.pad(frame.astype(float), 1, mode="reflect")
    wanted = around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:] - 4 * frame.astype(float)
    found = fingerprint(frame)
    assert found.shape == (12288,)
    assert found.dtype == np.float16
    np.testing.assert_array_equal(found, wanted.ravel().astype(np.float16))
    doubled = frame.repeat(2, axis=0).repeat(2, axis=1)
    np.testing.assert_array_equal(fingerprint(doubled), found)


def test_thumbnails_and_changes_are_means() -> None:
    """Of 2 x 2 and of 4 x 4 px; the first frame has no change, and so has one of another size."""
    first, second, other = _frame(1), _frame(2), _frame(3, 48, 64)
    signals = FrameSignals(10)
    for at, (luma, before) in enumerate([(first, None), (second, first), (other, second), (first, other[:, :-1])]):
        assert signals.add(at / 25, luma, before)
    assert (signals.thumbs.shape, signals.changes.shape) == ((4, 48, 64), (4, 24, 32))
    assert (signals.count, signals.times) == (4, [0, 0.04, 0.08, 0.12])
    means = second.reshape(48, 2, 64, 2).astype(float).mean(axis=(1, 3))
    assert np.abs(signals.thumbs[1] - means).max() <= 0.5
    np.testing.assert_array_equal(signals.thumbs[2], other)
    apart = np.abs(second.astype(float) - first).reshape(24, 4, 32, 4).mean(axis=(1, 3))
    np.testing.assert_allclose(signals.changes[1], apart, rtol=1e-3)
    assert not signals.changes[[0, 2, 3]].any()


@pytest.mark.parametrize("most", [1, 3, 4, 7])
def test_of_too_many_fingerprints_each_second_is_given_up(most: int) -> None:
    """As often as is needed: what is left are those of each so-many-th frame."""
    signals, luma, step = FrameSignals(most), _frame(1, 24, 32), 1
    for at in range(30):
        kept = signals.add(at / 25, luma, None)
        assert kept == (at % step == 0)
        if len(range(0, at + 1, step)) > most:
            step *= 2
        assert (signals.step, sorted(signals.prints)) == (step, list(range(0, at + 1, step)))


def test_more_frames_than_were_expected_fit() -> None:
    """257 and 600 of them: all are kept, in order."""
    signals = FrameSignals(1)
    frames = [np.full((24, 32), at % 251, np.uint8) for at in range(600)]
    for at, frame in enumerate(frames):
        signals.add(at / 25, frame, frames[at - 1] if at else None)
        if at in (0, 255, 256, 599):
            assert signals.thumbs[:, 0, 0].tolist() == [one % 251 for one in range(at + 1)]
            assert signals.changes[1:, 0, 0].tolist() == [1.0 if one % 251 else 250.0 for one in range(1, at + 1)]


@pytest.mark.parametrize("reach", [0, 1, 3])
def test_a_median_of_many_frames_is_taken_in_pieces(reach: int) -> None:
    """Of 600 values and of 2; no value has none."""
    for count in (600, 2):
        values = np.random.default_rng(1).random(count).astype(np.float32)
        width = min(2 * reach + 1, count)
        begins = [min(max(at - width // 2, 0), count - width) for at in range(count)]
        wanted = [np.median(values[begin : begin + width]) for begin in begins]
        np.testing.assert_allclose(running_median(values, reach), wanted, rtol=1e-6)
    assert running_median(values[:0], reach).shape == (0,)


def test_frames_are_made_smaller_by_their_area() -> None:
    """A frame of any size has thumbnails of 64 x 48."""
    luma = _frame(4, 100, 130)
    signals = FrameSignals(1)
    signals.add(0.0, luma, None)
    np.testing.assert_array_equal(signals.thumbs[0], cv2.resize(luma, (64, 48), interpolation=cv2.INTER_AREA))
