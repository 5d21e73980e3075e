"""Makes the directory that is shipped: the network, its cut, and what authentic images score.

    python -m media_model.calibrate --cache DIR --network FILE --out resources/media [--others DIR]

The cut comes from the split ``check``, the scores from ``plain``: photographs that no training saw, the latter without
a simulated camera, since those score higher than the ones that simulated cameras took. ``--others``: a folder as
``media_model.evaluate`` reads it, whose authentic images are asked too, as they are: what our photographs score tells
too little of those that others took.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from app.capabilities.media.analysis.features import SCORED, BlockInputs, block_inputs
from app.capabilities.media.analysis.judge import copies_strength, cut_of, likeliest_life, tail_mean
from app.capabilities.media.analysis.measure import COPIES, measure
from app.capabilities.media.analysis.model import FACTS_FILE, NETWORK_FILE, ModelFacts
from app.capabilities.media.analysis.network import BlockNetwork
from app.capabilities.media.calibration import HARDEST, OTHERS
from app.capabilities.media.detectors.image import FloatMap
from app.capabilities.media.worker.decode import decode, open_image
from media_model.collection import listed_in
from media_model.crops import AFTER_LIVES
from media_model.examples import Example, read
from media_model.fetch import LIST
from media_model.generate import AUTHENTIC
from media_model.metrics import f1_at

FLOORS: Final = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
SHARES: Final = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
MOST_AREA: Final = 0.04
"""Largest mean share of an authentic image's blocks that may count as changed."""
HARD: Final = 4
"""One photograph in so many counts as hard, by the mean score of its images: on others' photographs the rate of all was
too low, for more of them are like these."""
_DIGITS: Final = 5
_JPEG_NUMBER, _COPIES_NUMBER = -4, -2
"""Where ``BlockInputs.numbers`` says whether the file is a JPEG, and has the inliers of the largest copy."""


def best_cut(judged: Iterable[tuple[FloatMap, Example]]) -> tuple[float, float]:
    """Floor and share (``judge.scale_heatmap``) with the highest mean F1 over the edited images, among those that leave
    at most ``MOST_AREA`` of the authentic ones above."""
    pairs = list(product(FLOORS, SHARES))
    found: list[list[float]] = []
    area: list[list[float]] = []
    for probabilities, example in judged:
        cuts = [cut_of(probabilities, floor, share) for floor, share in pairs]
        if (example.labels == 1).any():
            found.append([f1_at(probabilities, example.labels, cut) for cut in cuts])
        elif example.kind == AUTHENTIC:
            area.append([float((probabilities >= cut).mean()) for cut in cuts])
    allowed = np.mean(area, axis=0) <= MOST_AREA
    return pairs[int(np.where(allowed, np.mean(found, axis=0), -1).argmax())]


def strengths_of(inputs: BlockInputs) -> dict[str, float]:
    """The strength of each applicable detector, as a judgement has it: a channel of scores is half the layer's size."""
    # Votes for a grid are counted in every image that is measured, and may be none.
    layers: dict[str, FloatMap] = {"jpeg_grid": np.zeros(inputs.maps.shape[:2], np.float32)}
    for number, (detector, _) in enumerate(SCORED):
        scores = np.abs(inputs.maps[:, :, number]) / 2
        if scores.any():
            layers[detector] = np.maximum(scores, layers.get(detector, scores))
    strengths = {detector: tail_mean(layer) for detector, layer in layers.items()}
    strengths[COPIES] = copies_strength(round(float(np.expm1(inputs.numbers[_COPIES_NUMBER] * 4))))
    return strengths


def score_of(model: BlockNetwork, inputs: BlockInputs) -> tuple[str, float]:
    """After-life and score of an image, as a judgement of one tile has them."""
    answer = model.answer(inputs)
    is_jpeg = bool(inputs.numbers[_JPEG_NUMBER])
    return likeliest_life(dict(zip(AFTER_LIVES, answer.after, strict=True)), is_jpeg), answer.score


def version_of(network: bytes) -> str:
    """Hash of the list of photographs, of the generator's and the analysis' code, and of the network."""
    package = Path(__file__).parent
    analysis = Path(__file__).parents[2] / "app" / "capabilities" / "media"
    code = [
        *sorted(package.glob("*.py")),
        *sorted(analysis.glob("analysis/*.py")),
        *sorted(analysis.glob("detectors/*.py")),
    ]
    digest = sha256(LIST.read_bytes())
    for path in code:
        digest.update(path.read_bytes())
    digest.update(network)
    return digest.hexdigest()[:16]


def inputs_of(folder: Path) -> Iterator[BlockInputs]:
    """What the network reads of the authentic images of a collection."""
    for one in listed_in(folder):
        if one.mask is None:
            yield block_inputs(measure(decode(open_image((folder / one.file).read_bytes())).image))


def facts_of(
    network: bytes, checked: Sequence[Path], authentic: Sequence[Path], others: Iterable[BlockInputs] = ()
) -> ModelFacts:
    """The facts that are shipped. ``checked``, ``authentic``: kept examples; ``others``: authentic images of a
    collection that had no part in anything else, each of one tile."""
    model = BlockNetwork(network)
    tried = (read(path) for path in checked)
    floor, share = best_cut((model.answer(one.inputs).heatmap, one) for one in tried)
    scores: dict[str, list[float]] = {}
    by_photo: dict[int, list[float]] = {}
    strengths: dict[str, list[float]] = {}
    for path in authentic:
        example = read(path)
        if example.kind != AUTHENTIC:
            raise ValueError(f"{path} is no authentic image")
        after, exact = score_of(model, example.inputs)
        score = round(exact, _DIGITS)
        scores.setdefault(after, []).append(score)
        by_photo.setdefault(example.source, []).append(score)
        for name, strength in strengths_of(example.inputs).items():
            strengths.setdefault(name, []).append(round(strength, _DIGITS))
    hardest = sorted(by_photo.values(), key=lambda some: float(np.mean(some)))[-max(1, len(by_photo) // HARD) :]
    scores[HARDEST] = [score for some in hardest for score in some]
    if of_others := [round(score_of(model, inputs)[1], _DIGITS) for inputs in others]:
        scores[OTHERS] = of_others
    return ModelFacts(
        version=version_of(network),
        floor=floor,
        share=share,
        after_lives=AFTER_LIVES,
        scores={name: tuple(sorted(some)) for name, some in sorted(scores.items())},
        strengths={name: tuple(sorted(some)) for name, some in sorted(strengths.items())},
    )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="what media_model.dataset kept")
    parser.add_argument("--network", type=Path, required=True, help="what media_model.train exported")
    parser.add_argument("--out", type=Path, required=True, help="the directory that is shipped")
    parser.add_argument("--others", type=Path, help="folder with manifest.json, whose authentic images are asked too")
    chosen = parser.parse_args()
    network = chosen.network.read_bytes()
    facts = facts_of(
        network,
        sorted((chosen.cache / "check").glob("*.npz")),
        sorted((chosen.cache / "plain").glob("*.npz")),
        inputs_of(chosen.others) if chosen.others else (),
    )
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / NETWORK_FILE).write_bytes(network)
    (chosen.out / FACTS_FILE).write_bytes(msgspec.json.encode(facts))


if __name__ == "__main__":
    main()
