"""The speaker score, on back ends small enough to be reckoned by hand."""

import io

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.voice.speaker.embedding import EMBEDDING
from app.capabilities.voice.speaker.encoder import VECTOR
from app.capabilities.voice.speaker.scoring import (
    NEAREST,
    PARTS,
    BackEnd,
    ErrorRates,
    SpeakerFacts,
    SpeakerScorer,
    interpolate,
    nearest_of,
)

FACTS = SpeakerFacts(
    slope=2.0,
    offset=-1.0,
    scales={"vector": 1.0, "layer_means": 1.0},
    thresholds=(-2.0, 0.0, 2.0),
    far=(0.5, 0.1, 0.0),
    frr=(0.0, 0.1, 0.4),
    genuine_trials=100,
    impostor_trials=1000,
)


def back_end(size: int, *, scale: float = 1.0) -> BackEnd:
    rng = np.random.default_rng(size)
    cohort = rng.standard_normal((130, size)).astype(np.float32)
    cohort /= np.linalg.norm(cohort, axis=1, keepdims=True)
    return BackEnd(np.zeros(size, np.float32), np.eye(size, dtype=np.float32), cohort, scale)


def scorer(facts: SpeakerFacts = FACTS) -> SpeakerScorer:
    return SpeakerScorer({"vector": back_end(256), "layer_means": back_end(768)}, facts)


def drawn(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(EMBEDDING).astype(np.float32)


def test_projecting_takes_the_centre_away_first() -> None:
    """Then it brings the length to 1."""
    end = BackEnd(
        np.array([1.0, 1.0], np.float32),
        np.array([[2.0, 0.0], [0.0, 1.0]], np.float32),
        np.eye(2, dtype=np.float32),
        1.0,
    )
    assert end.project(np.array([[2.0, 3.0]], np.float32))[0] == pytest.approx([0.5**0.5, 0.5**0.5])


def llr_of(probe: np.ndarray, signature: np.ndarray) -> float:
    """Of one voice (1024,)."""
    (found,) = scorer().compare(probe[None], signature)
    return found.llr


def test_a_score_is_the_mean_of_both_normalised_ones() -> None:
    """Reckoned by hand."""
    end = BackEnd(
        np.zeros(2, np.float32), np.eye(2, dtype=np.float32), np.array([[1.0, 0.0], [0.0, 1.0]], np.float32), 2.0
    )
    probe = np.array([3.0, 4.0], np.float32)
    signature = np.array([[5.0, 0.0], [0.0, -1.0]], np.float32)
    # Cosines .6 and -.8: the nearest is .6. Cohort with the probe: .6, .8 (mean .7, deviation .1); with the signature,
    # the nearer of each: 1, 0 (mean .5, deviation .5). (-1 + .2) / 2, over the scale 2.
    assert end.scores(np.stack([probe, probe]), signature) == pytest.approx([-0.2, -0.2], abs=1e-5)


def test_only_the_nearest_of_a_large_cohort_count() -> None:
    """The hundred highest of 150."""
    scores = np.arange(150, dtype=np.float32)
    mean, spread = nearest_of(scores)
    assert NEAREST == 100
    assert mean == pytest.approx(np.arange(50, 150).mean())
    assert spread == pytest.approx(np.arange(50, 150).std())


def test_a_cohort_of_one_opinion_divides_by_no_zero() -> None:
    """The spread is a thousandth at least."""
    assert nearest_of(np.ones(5, np.float32)) == (1.0, 0.001)


def test_both_back_ends_are_summed() -> None:
    """Then the calibration makes nats of the sum."""
    probe, signature = drawn(1), np.stack([drawn(2), drawn(3)])
    one, other = back_end(256), back_end(768)
    (vector,) = one.scores(probe[None, :VECTOR], signature[:, :VECTOR])
    (means,) = other.scores(probe[None, VECTOR:], signature[:, VECTOR:])
    assert llr_of(probe, signature) == pytest.approx(2.0 * (vector + means) - 1.0)


def test_each_of_several_voices_is_scored_as_if_alone() -> None:
    """In their order."""
    signature, voices = np.stack([drawn(2), drawn(3)]), np.stack([drawn(1), drawn(2), drawn(7)])
    together = [one.llr for one in scorer().compare(voices, signature)]
    assert together == pytest.approx([llr_of(voice, signature) for voice in voices], abs=1e-4)
    assert len(set(together)) == 3


def test_a_speaker_is_nearer_to_their_own_signature() -> None:
    """By more than 10 nats, on drawn vectors."""
    own = np.stack([drawn(seed) for seed in range(8)])
    near = own[3] + 0.1 * drawn(20)
    assert llr_of(near, own) > llr_of(drawn(21), own) + 10


@given(st.integers(0, 50), st.permutations(range(8)))
def test_the_order_of_a_signature_s_rows_does_not_count(seed: int, order: list[int]) -> None:
    """The nearest of them does."""
    signature = np.stack([drawn(100 + row) for row in range(8)])
    assert llr_of(drawn(seed), signature) == pytest.approx(llr_of(drawn(seed), signature[order]), abs=1e-4)


def test_a_signature_of_float16_is_read() -> None:
    """As it is stored."""
    signature = np.stack([drawn(seed) for seed in range(8)])
    assert llr_of(drawn(9), signature.astype(np.float16)) == pytest.approx(llr_of(drawn(9), signature), abs=0.05)


@pytest.mark.parametrize(
    ("probe", "signature"),
    [
        (np.ones((1, 1023), np.float32), np.ones((8, 1024), np.float32)),
        (np.ones(1024, np.float32), np.ones((8, 1024), np.float32)),
        (np.ones((1, 1024), np.float32), np.ones((8, 1023), np.float32)),
        (np.ones((1, 1024), np.float32), np.ones(1024, np.float32)),
        (np.ones((1, 1024), np.float32), np.ones((0, 1024), np.float32)),
    ],
)
def test_what_is_no_embedding_is_refused(probe: np.ndarray, signature: np.ndarray) -> None:
    """By its shape."""
    with pytest.raises(ValueError, match="no embeddings of one speaker"):
        scorer().compare(probe, signature)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    """In the voice and in the signature."""
    broken = drawn(1)
    broken[5] = bad
    whole = np.stack([drawn(2)] * 8)
    with pytest.raises(ValueError, match="not finite"):
        scorer().compare(np.stack([drawn(1), broken]), whole)
    whole[3, 900] = bad
    with pytest.raises(ValueError, match="not finite"):
        scorer().compare(drawn(1)[None], whole)


@pytest.mark.parametrize(
    ("threshold", "rates"),
    [
        (-5.0, ErrorRates(0.5, 0.01, 100, 1000)),
        (-2.0, ErrorRates(0.5, 0.01, 100, 1000)),
        (-1.0, ErrorRates(0.3, 0.05, 100, 1000)),
        (0.0, ErrorRates(0.1, 0.1, 100, 1000)),
        (1.0, ErrorRates(0.05, 0.25, 100, 1000)),
        (9.0, ErrorRates(0.001, 0.4, 100, 1000)),
    ],
)
def test_error_rates_lie_on_the_table_s_lines_and_never_below_one_trial(threshold: float, rates: ErrorRates) -> None:
    """Beyond its ends as at them."""
    assert scorer().error_rates(threshold) == pytest.approx(rates)


@given(st.floats(-20, 20), st.floats(-20, 20))
def test_a_higher_threshold_accepts_fewer_and_refuses_more(one: float, other: float) -> None:
    """Whichever two are compared."""
    low, high = (scorer().error_rates(threshold) for threshold in sorted([one, other]))
    assert low.far >= high.far - 1e-12
    assert low.frr <= high.frr + 1e-12


def test_between_two_places_is_a_line() -> None:
    """A quarter of the way, a quarter of the difference."""
    assert interpolate((0.0, 4.0), (1.0, 3.0), 1.0) == 1.5


def stored(**changed: np.ndarray) -> bytes:
    ends = {"vector": back_end(256), "layer_means": back_end(768)}
    fields = {
        f"{name}_{field}": getattr(end, field).astype(np.float16)
        for name, end in ends.items()
        for field in ("centre", "projection", "cohort")
    }
    file = io.BytesIO()
    np.savez(file, **{**fields, **changed})
    return file.getvalue()


def test_stored_arrays_give_the_same_score() -> None:
    """To the rounding of half precision."""
    signature = np.stack([drawn(seed) for seed in range(8)])
    (read,) = SpeakerScorer.read(stored(), FACTS).compare(drawn(9)[None], signature)
    assert read.llr == pytest.approx(llr_of(drawn(9), signature), abs=0.1)


def test_stored_arrays_of_another_shape_are_refused() -> None:
    """With the name of the back end."""
    with pytest.raises(ValueError, match="the back end vector has the shapes"):
        SpeakerScorer.read(stored(vector_centre=np.zeros(255, np.float16)), FACTS)


def test_a_pickle_in_the_arrays_is_refused() -> None:
    """Nothing of a file is ever run."""
    with pytest.raises(ValueError, match="allow_pickle=False"):
        SpeakerScorer.read(stored(vector_centre=np.array([{}], object)), FACTS)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive"])
def test_other_bytes_are_refused(content: bytes) -> None:
    """Empty, cut, or of another kind."""
    with pytest.raises(ValueError, match=r"no speaker model|pickled"):
        SpeakerScorer.read(content, FACTS)


@pytest.mark.parametrize(
    "changed",
    [
        {"thresholds": (0.0, -2.0, 2.0)},
        {"thresholds": (0.0, 0.0, 2.0)},
        {"thresholds": (0.0, 2.0)},
        {"slope": 0.0},
        {"far": (0.5, 0.1)},
    ],
)
def test_a_table_that_does_not_rise_is_refused(changed: dict[str, object]) -> None:
    """Nor one whose columns have different lengths."""
    facts = msgspec.structs.replace(FACTS, **changed)
    with pytest.raises(ValueError, match=r"rows of different lengths|rise"):
        scorer(facts)


def test_the_parts_of_an_embedding_are_all_of_it() -> None:
    """Without a gap."""
    assert [PARTS["vector"], PARTS["layer_means"]] == [slice(0, 256), slice(256, 1024)]


def test_a_missing_back_end_is_refused() -> None:
    """By name."""
    with pytest.raises(ValueError, match=r"has the back ends \['vector'\]"):
        SpeakerScorer({"vector": back_end(256)}, FACTS)
