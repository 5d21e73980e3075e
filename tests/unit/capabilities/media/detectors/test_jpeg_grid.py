"""The grid of a JPEG past: votes, significance and maps against plain words, and on what libjpeg wrote."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.detectors.dct import BASIS
from app.capabilities.media.detectors.image import DecodedImage, JpegPast
from app.capabilities.media.detectors.jpeg_grid import (
    NO_COUNT,
    NO_VOTE,
    foreign_regions,
    jpeg_grid,
    log10_tail,
    mirrored_phases,
    phase_volume,
    phase_votes,
    zero_counts,
)
from tests.unit.capabilities.media.detectors.jpeg_pictures import Rgb, as_jpeg, texture_picture

FILE = JpegPast(np.ones((8, 8), np.uint16))


def pasted(host: Rgb, donor: Rgb, row: int, column: int) -> Rgb:
    """80 x 96 px of the donor's block (8, 8), at a place of the host."""
    changed = host.copy()
    changed[row : row + 80, column : column + 96] = donor[64:144, 64:160]
    return changed


def votes_of_chance(rows: int, columns: int) -> npt.NDArray[np.int64]:
    """Blocks of which each votes once for each phase."""
    return np.ones((rows, columns, 64), np.int64)


def all_phases() -> npt.NDArray[np.bool_]:
    """Every phase is foreign."""
    return np.ones(64, np.bool_)


# --- zeros -------------------------------------------------------------------------------------------------------


def test_zeros_are_counted_at_every_offset_in_the_image() -> None:
    """AC coefficients below 0.5, the DC not; a block that reaches over the border has no count."""
    image = as_jpeg(texture_picture(1, 27, 37), 60)
    luma = image.luma
    counts = zero_counts(luma)
    assert counts.shape == (3, 4, 64)
    for block_row in range(3):
        for block_column in range(4):
            for phase in range(64):
                top, left = 8 * block_row + phase // 8, 8 * block_column + phase % 8
                tile = luma[top : top + 8, left : left + 8]
                if tile.shape == (8, 8):
                    size = np.abs(BASIS @ tile @ BASIS.T).ravel()[1:]
                    # Float32 sums in another order may put a size at the threshold on its other side.
                    least, most = (size < 0.499).sum(), (size < 0.501).sum()
                    assert least <= counts[block_row, block_column, phase] <= most
                else:
                    assert counts[block_row, block_column, phase] == NO_COUNT


@pytest.mark.parametrize("dc", [0, 100])
@pytest.mark.parametrize(("size", "zeros"), [(0.49, 63), (-0.49, 63), (0.51, 62), (-0.51, 62)])
def test_a_coefficient_below_a_half_is_zero(size: float, zeros: int, dc: float) -> None:
    """The threshold of the paper, whatever the sign; the DC never counts, not even at 0."""
    coefficients = np.zeros((8, 8), np.float32)
    coefficients[0, 0], coefficients[2, 3] = dc, size
    assert zero_counts(np.asarray(BASIS.T @ coefficients @ BASIS, np.float32))[0, 0, 0] == zeros


def test_the_volume_is_the_count_over_the_mean_of_its_block() -> None:
    """Minus the mean of the known offsets, divided by 8; zero where a block would reach over the border."""
    counts = np.full((1, 2, 64), 10, np.uint8)
    counts[0, 0, 5] = 42
    counts[0, 1, :32] = 30
    counts[0, 1, 48:] = NO_COUNT
    volume = phase_volume(counts)
    assert volume.dtype == np.float32
    assert volume[0, 0, 5] == pytest.approx((42 - 10.5) / 8)
    assert volume[0, 0, 6] == pytest.approx(-0.5 / 8)
    assert volume[0, 1, 0] == pytest.approx((30 - (32 * 30 + 16 * 10) / 48) / 8)
    assert not volume[0, 1, 48:].any()


@pytest.mark.parametrize("axis", [0, 1])
def test_mirrored_counts_are_those_of_the_mirrored_image(axis: int) -> None:
    """Counted again on the mirrored pixels: the same but for sums that end on the threshold."""
    luma = as_jpeg(texture_picture(2, 64, 88), 75).luma
    again = zero_counts(np.ascontiguousarray(np.flip(luma, axis)))
    mirrored = mirrored_phases(zero_counts(luma), axis)
    np.testing.assert_array_equal(mirrored == NO_COUNT, again == NO_COUNT)
    difference = np.abs(mirrored.astype(int) - again)
    assert difference.max() <= 1
    assert (difference > 0).mean() < 0.01


def test_mirrored_twice_is_the_same_but_at_the_border() -> None:
    """The blocks that lose their count lie at the border alone."""
    counts = zero_counts(as_jpeg(texture_picture(2, 64, 88), 75).luma)
    for axis in (0, 1):
        np.testing.assert_array_equal(mirrored_phases(mirrored_phases(counts, axis), axis), counts)


# --- votes -------------------------------------------------------------------------------------------------------


def test_a_pixel_votes_for_the_block_over_it_with_most_zeros() -> None:
    """In plain words: of the 64 blocks over a pixel the best alone; ties, flat ones and the border are void."""
    drawn = np.random.default_rng(4)
    counts = drawn.integers(0, 61, (4, 5, 64)).astype(np.uint8)
    counts[drawn.random(counts.shape) < 0.01] = 62
    counts[drawn.random(counts.shape) < 0.004] = 63
    counts[-1, :, 24:] = NO_COUNT  # a height of 34 px: offsets 0 to 2 of the last row of blocks
    counts.reshape(4, 5, 8, 8)[:, -1, :, 1:] = NO_COUNT  # a width of 40 px
    votes = phase_votes(counts)
    assert votes.shape == (32, 40)
    seen = set()
    for y in range(32):
        for x in range(40):
            over: list[tuple[int, int]] = []
            for top in range(y - 7, y + 1):
                for left in range(x - 7, x + 1):
                    phase = top % 8 * 8 + left % 8
                    known = top >= 0 and left >= 0 and counts[top // 8, left // 8, phase] != NO_COUNT
                    if known:
                        over.append((int(counts[top // 8, left // 8, phase]), phase))
            over.sort(reverse=True)
            void = len(over) < 64 or over[0][0] == over[1][0] or over[0][0] == 63
            assert votes[y, x] == (NO_VOTE if void else over[0][1])
            seen.add((len(over) < 64, over[0][0], void))
    assert {(False, 60, False), (False, 62, False), (False, 62, True), (False, 63, True), (True, 60, True)} <= seen


def test_a_flat_picture_does_not_vote() -> None:
    """Without an AC coefficient nothing tells one grid from another."""
    found = jpeg_grid(DecodedImage(np.full((64, 64, 3), 77, np.uint8)))
    assert (phase_votes(found.counts) == NO_VOTE).all()
    assert found.main is None
    assert found.traces.globals["grid_share"] == 0


# --- significance ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trials", "successes"), [(1, 1), (1, 0), (6, 6), (40, 1), (40, 3), (500, 2), (500, 100), (900, 900), (2000, 31)]
)
def test_the_tail_is_that_of_exact_fractions(trials: int, successes: int) -> None:
    """Compared on the logarithm, far below the smallest float."""
    wanted = sum(
        math.comb(trials, hits) * Fraction(63) ** (trials - hits) for hits in range(successes, trials + 1)
    ) / Fraction(64**trials)
    log10 = math.log10(wanted.numerator) - math.log10(wanted.denominator)
    assert log10_tail(trials, successes) == pytest.approx(log10, abs=1e-9)


def test_a_tail_of_millions_is_finite() -> None:
    """All of 375 000 blocks (24 MP): 64 to that power."""
    assert log10_tail(375_000, 375_000) == pytest.approx(-375_000 * math.log10(64), rel=1e-9)
    assert log10_tail(375_000, 1) == pytest.approx(0, abs=1e-8)


def test_a_region_counts_once_chance_would_give_less_than_one() -> None:
    """In 20 x 20 blocks (NFA factor 64 x 25600^2) six whole blocks do, five do not."""
    votes = np.zeros((20, 20, 64), np.int64)
    votes[3:5, 4:7, 9] = 64
    (region,) = foreign_regions(votes, all_phases())
    assert region.log10_nfa == pytest.approx(math.log10(64 * 25600**2) - 6 * math.log10(64))
    assert -0.5 < region.log10_nfa < 0
    assert region.phase == (1, 1)
    wanted = np.zeros((20, 20), np.bool_)
    wanted[3:5, 4:7] = True
    np.testing.assert_array_equal(region.mask, wanted)
    votes[4, 4:7, 9] = [64, 64, 0]
    assert foreign_regions(votes, all_phases()) == ()


def test_sixty_four_votes_are_one_trial() -> None:
    """Votes for a phase in the rectangle of its blocks are divided by 64 and rounded down."""
    votes = np.zeros((20, 20, 64), np.int64)
    votes[3:13, 4:14, 20] = 16
    (region,) = foreign_regions(votes, all_phases())
    assert region.log10_nfa == pytest.approx(math.log10(64 * 25600**2) + log10_tail(100, 25))
    votes[5, 5, 20] = 15
    (region,) = foreign_regions(votes, all_phases())
    assert region.log10_nfa == pytest.approx(math.log10(64 * 25600**2) + log10_tail(100, 24))


def test_a_block_with_less_than_a_quarter_of_the_votes_starts_no_region() -> None:
    """Fifteen of 64 everywhere are no region, sixteen are."""
    votes = np.zeros((20, 20, 64), np.int64)
    votes[:, :, 20] = 15
    assert foreign_regions(votes, all_phases()) == ()
    votes[:, :, 20] = 16
    assert len(foreign_regions(votes, all_phases())) == 1


def test_regions_are_of_foreign_phases_and_the_surest_comes_first() -> None:
    """The main grid's phase has none; blocks that touch at a corner are one."""
    votes = votes_of_chance(20, 20)
    votes[2:5, 2:5, 63] = 64
    votes[10:14, 10:14, 10] = 64
    votes[14:18, 14:18, 10] = 64
    votes[0:6, 12:18, 7] = 64
    foreign = all_phases()
    foreign[7] = False
    found = foreign_regions(votes, foreign)
    assert [region.phase for region in found] == [(1, 2), (7, 7)]
    assert [int(region.mask.sum()) for region in found] == [32, 9]
    assert found[0].log10_nfa < found[1].log10_nfa


# --- pictures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("row", "column"), [(0, 0), (3, 5), (7, 1)])
def test_a_cropped_jpeg_shows_where_its_grid_starts(row: int, column: int) -> None:
    """Without its first rows and columns the next block starts at what is left of 8."""
    image = as_jpeg(texture_picture(5, 160, 176), 85)
    found = jpeg_grid(DecodedImage(image.rgb[row:, column:]))
    assert found.main == (-row % 8, -column % 8)
    assert found.log10_nfa < -100
    assert found.log10_nfa == found.traces.globals["grid_log10_nfa"]
    assert found.regions == ()
    assert found.traces.globals["grid_foreign_log10_nfa"] == 0
    assert found.traces.globals["grid_share"] > 0.9
    maps = found.traces.maps
    assert all(values.shape == found.counts.shape[:2] and values.dtype == np.float32 for values in maps.values())
    # The border's pixels cannot vote, and no block looks emptier for it.
    assert maps["grid_main"].min() > 0.6
    assert maps["grid_main"].max() <= 1
    assert maps["grid_missing"].max() < 0.2


def test_a_picture_that_was_never_compressed_has_no_grid() -> None:
    """No phase is significant, so that nothing can be missing."""
    found = jpeg_grid(DecodedImage(texture_picture(6, 160, 176)))
    assert found.main is None
    assert found.log10_nfa > 0
    assert found.regions == ()
    assert not found.traces.maps["grid_main"].any()
    assert not found.traces.maps["grid_missing"].any()
    assert 0 < found.traces.maps["grid_foreign"].max() < 0.5


def test_the_main_grid_is_judged_by_its_votes_in_the_whole_image() -> None:
    """NFA = 64 N^2 times the tail of its votes / 64 among all blocks; its share is that of all votes."""
    found = jpeg_grid(as_jpeg(texture_picture(10, 50, 133), 95))
    votes = phase_votes(found.counts)
    for_main = int((votes == 0).sum())
    assert found.log10_nfa == pytest.approx(math.log10(64 * (48 * 128) ** 2) + log10_tail(6 * 16, for_main // 64))
    assert found.traces.globals["grid_share"] == pytest.approx(for_main / (votes != NO_VOTE).sum())


@pytest.mark.parametrize("saved_as_jpeg", [False, True])
def test_what_comes_from_another_grid_is_a_region(*, saved_as_jpeg: bool) -> None:
    """A part of another JPEG, pasted 3 rows and 5 columns off its grid; also under a JPEG of quality 99."""
    host = as_jpeg(texture_picture(7, 256, 256), 80).rgb
    donor = as_jpeg(texture_picture(8, 256, 256), 80).rgb
    changed = pasted(host, donor, 67, 101)
    found = jpeg_grid(as_jpeg(changed, 99) if saved_as_jpeg else DecodedImage(changed))
    assert found.main == (0, 0)
    surest = found.regions[0]
    assert surest.phase == (3, 5)
    assert surest.log10_nfa < -2
    assert found.traces.globals["grid_foreign_log10_nfa"] == surest.log10_nfa
    inside = np.zeros((32, 32), np.bool_)
    inside[8:19, 12:25] = True
    assert not surest.mask[~inside].any()
    assert surest.mask[inside].mean() > 0.6
    maps = found.traces.maps
    assert maps["grid_foreign"][13, 18] > 0.7
    assert maps["grid_missing"][13, 18] >= maps["grid_foreign"][13, 18]
    assert maps["grid_main"][13, 18] < 0.2
    assert maps["grid_foreign"][28, 4] < 0.2


def test_what_comes_from_the_same_grid_is_none() -> None:
    """The same part, pasted on the host's own grid."""
    host = as_jpeg(texture_picture(7, 256, 256), 80).rgb
    donor = as_jpeg(texture_picture(8, 256, 256), 80).rgb
    found = jpeg_grid(DecodedImage(pasted(host, donor, 64, 96)))
    assert found.main == (0, 0)
    assert found.regions == ()


def test_the_grid_of_the_file_itself_is_never_foreign() -> None:
    """Where only a part shows the phase (0, 0), it is foreign in a PNG and a JPEG's own in a JPEG."""
    host = texture_picture(9, 384, 384)
    donor = as_jpeg(texture_picture(8, 256, 256), 80).rgb
    changed = host.copy()
    changed[64:112, 96:144] = donor[64:112, 64:112]
    found = jpeg_grid(DecodedImage(changed))
    assert found.main is None
    assert [region.phase for region in found.regions] == [(0, 0)]
    assert found.traces.maps["grid_foreign"][11, 15] > 0.7
    as_file = jpeg_grid(DecodedImage(changed, FILE))
    assert as_file.regions == ()
    assert as_file.traces.maps["grid_foreign"][11, 15] < 0.3


def test_shares_are_those_of_the_pixels_that_could_vote() -> None:
    """5x5 blocks in plain words, at a corner and inside."""
    host = as_jpeg(texture_picture(10, 96, 104), 70).rgb
    host[:40, 50:] = texture_picture(12, 40, 54)
    host[50:] = as_jpeg(texture_picture(13, 46, 104), 70).rgb
    found = jpeg_grid(DecodedImage(host))
    assert found.main is not None
    main = 8 * found.main[0] + found.main[1]
    votes = phase_votes(found.counts)
    could = np.zeros(votes.shape, np.bool_)
    could[7:89, 7:97] = True
    for row, column in ((0, 0), (5, 6), (11, 12), (1, 9), (6, 3)):
        pixels = np.s_[max(0, 8 * row - 16) : 8 * row + 24, max(0, 8 * column - 16) : 8 * column + 24]
        near, of = votes[pixels], could[pixels].sum()
        shares = {name: values[row, column] for name, values in found.traces.maps.items()}
        assert shares["grid_main"] == pytest.approx((near == main).sum() / of, rel=1e-5)
        others = near[(near != main) & (near != NO_VOTE)]
        assert shares["grid_missing"] == pytest.approx(others.size / of, rel=1e-5)
        assert shares["grid_foreign"] == pytest.approx(np.bincount(others, minlength=64).max() / of, rel=1e-5)


@pytest.mark.parametrize(("height", "width", "says"), [(15, 64, False), (64, 15, False), (16, 16, True)])
def test_an_image_of_less_than_two_blocks_a_side_has_no_grid(height: int, width: int, *, says: bool) -> None:
    """Too few pixels have a block of each phase over them."""
    found = jpeg_grid(DecodedImage(texture_picture(11, height, width)))
    assert (found.traces.not_applicable is None) is says
    assert bool(found.traces.maps) is says
    assert found.counts.shape == (height // 8, width // 8, 64)
    assert found.main is None
    assert found.regions == ()
    assert (found.log10_nfa > 0) is says


def test_an_image_without_a_whole_block_has_no_counts() -> None:
    """Five rows are no block."""
    assert jpeg_grid(DecodedImage(np.zeros((5, 40, 3), np.uint8))).counts.shape == (0, 5, 64)
