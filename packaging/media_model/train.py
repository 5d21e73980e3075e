"""Trains the network on kept examples.

    python -m media_model.train --cache DIR --out DIR --steps 4000 [--start network.onnx]

Seeded. A checkpoint is written every hundred steps, and the command goes on from it; ``network.onnx`` in ``--out`` is
always the average of the weights at the last checkpoint.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime
import torch
from torch import Tensor
from torch.nn import functional

from media_model.crops import Crop, draw_crop
from media_model.draws import generator_of
from media_model.examples import Example, read
from media_model.generate import AUTHENTIC
from media_model.metrics import auc, oracle_f1
from media_model.network import HeatNetwork, all_kept, blank, draw_kept, export
from media_model.start import start_from

BATCH: Final = 12
RATE: Final = 3e-3
START_RATE: Final = 2e-3
"""Highest learning rates of a new network, and of one that goes on."""
DECAY: Final = 1e-3
WARM_UP: Final = 60
LARGEST_GRADIENT: Final = 3.0
AVERAGE: Final = 0.995
"""Share of the averaged weights that stays at each step."""
CHECKPOINT: Final = 100
"""Steps between two checkpoints."""
DICE, IMAGE, AFTER = 0.25, 0.3, 0.05
"""Weights of the losses beside that of the blocks."""
START_BATCHES: Final = 8
"""Batches whose statistics a network that goes on begins with."""
AGREE: Final = 1e-4
"""Largest difference between PyTorch and ONNX Runtime on the same inputs."""


def losses(outputs: tuple[Tensor, Tensor, Tensor], crops: list[Crop]) -> Tensor:
    """The loss of a step: of blocks (edited ones weigh more where they are few), of regions (dice, on edited images),
    of images, and of after-lives."""
    logits, image, after = (output.float() for output in outputs)
    labels = torch.from_numpy(np.stack([crop.labels for crop in crops]).astype(np.float32))
    edited = torch.tensor([float(crop.edited) for crop in crops])
    known, positive = (labels >= 0).float(), (labels == 1).float()
    share = positive.sum((1, 2)) / known.sum((1, 2)).clamp(min=1)
    heavier = torch.clip(0.25 / share.clamp(min=1e-6), 1, 5)
    weight = known * (1 + positive * (heavier - 1)[:, None, None])
    each = functional.binary_cross_entropy_with_logits(logits, positive, weight=weight, reduction="none")
    blocks = (each.sum((1, 2)) / weight.sum((1, 2)).clamp(min=1)).mean()
    found = torch.sigmoid(logits) * known
    dice = 1 - (2 * (found * positive).sum((1, 2)) + 1) / (found.sum((1, 2)) + positive.sum((1, 2)) + 1)
    regions = (dice * edited).sum() / edited.sum().clamp(min=1)
    images = functional.binary_cross_entropy_with_logits(image, edited)
    lives = functional.cross_entropy(after, torch.tensor([crop.after for crop in crops]))
    return blocks + DICE * regions + IMAGE * images + AFTER * lives


def rate_at(step: int, steps: int, highest: float) -> float:
    """The learning rate: a warm-up to the highest, then a cosine to zero."""
    if step < WARM_UP:
        return highest * (step + 1) / WARM_UP
    return highest * 0.5 * (1 + math.cos(math.pi * min(1.0, (step - WARM_UP) / max(1, steps - WARM_UP))))


def files_of(folder: Path, without: frozenset[str]) -> list[Path]:
    """The examples of a folder in the order of their seeds, without those of some kinds."""
    files = sorted(folder.glob("*.npz"), key=lambda path: int(path.stem))
    return [path for path in files if not without or _kind(path) not in without]


@functools.cache
def _kind(path: Path) -> str:
    with np.load(path) as kept:
        return str(kept["told"][0])


def run(network: HeatNetwork, example: Example) -> tuple[np.ndarray, float]:
    """Heatmap logits and image logit of a whole example."""
    from app.capabilities.media.analysis.features import network_arrays

    with torch.no_grad():
        given = {name: torch.from_numpy(array[None]) for name, array in network_arrays(example.inputs).items()}
        logits, image, _ = network(**given, kept=all_kept(1))
    return logits[0].numpy(), float(image)


@dataclass(frozen=True)
class Checked:
    """Figures on held-out photographs. ``kinds``: of each family of edits the mean pixel AUC, the mean best F1, and the
    number of images; ``pixel_auc``, ``oracle_f1``: over all edited images; ``images``: all, authentic ones too."""

    pixel_auc: float
    oracle_f1: float
    image_auc: float
    images: int
    kinds: dict[str, tuple[float, float, int]]


def check(network: HeatNetwork, folder: Path) -> Checked:
    """The figures on the examples of a folder; NaN where there are none to tell."""
    network.eval()
    found: dict[str, list[tuple[float, float]]] = {}
    scores, edited = [], []
    for path in files_of(folder, frozenset()):
        example = read(path)
        logits, score = run(network, example)
        scores.append(score)
        edited.append(int(example.kind != AUTHENTIC))
        if (example.labels == 1).any() and (example.labels == 0).any():
            blocks, labels = logits.ravel(), example.labels.ravel()
            found.setdefault(example.kind, []).append((auc(blocks, labels), oracle_f1(blocks, labels)))
    means = {kind: (*np.mean(some, axis=0).tolist(), len(some)) for kind, some in sorted(found.items())}
    whole = np.mean([one for some in found.values() for one in some], axis=0) if found else (math.nan, math.nan)
    image_auc = auc(np.array(scores), np.array(edited)) if scores else math.nan
    return Checked(float(whole[0]), float(whole[1]), image_auc, len(scores), means)


def agreement(network: HeatNetwork, path: Path) -> float:
    """Largest difference between the probabilities of PyTorch and of ONNX Runtime, at two sizes."""
    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    network.eval()
    worst = 0.0
    for rows, columns in ((12, 16), (23, 9)):
        some = blank(rows, columns)
        with torch.no_grad():
            blocks, image, after = network(*some.values())
        wanted = (torch.sigmoid(blocks), torch.sigmoid(image), torch.softmax(after, dim=1))
        given = session.run(None, {name: array.numpy() for name, array in some.items()})
        worst = max(
            worst, *(float(np.abs(one.numpy() - other).max()) for one, other in zip(wanted, given, strict=True))
        )
    return worst


def draw_batch(files: Sequence[Path], generator: np.random.Generator) -> tuple[list[Crop], dict[str, Tensor]]:
    """Crops of drawn examples, and the network's inputs of all of them."""
    chosen = generator.integers(len(files), size=BATCH)
    crops = [draw_crop(read(files[int(number)]), generator) for number in chosen]
    return crops, {name: torch.from_numpy(np.stack([crop.arrays[name] for crop in crops])) for name in crops[0].arrays}


def train(cache: Path, out: Path, steps: int, seed: int, without: frozenset[str], start: Path | None) -> None:
    """Trains until ``steps`` are done; RuntimeError where ONNX Runtime and PyTorch do not agree. ``start``: an exported
    network to go on from."""
    torch.manual_seed(seed)
    out.mkdir(parents=True, exist_ok=True)
    network, average = HeatNetwork(), HeatNetwork()
    highest = RATE if start is None else START_RATE
    if start is not None and not (out / "checkpoint.pt").exists():
        generator, some = generator_of(seed, "start"), files_of(cache / "train", without)
        start_from(network, start.read_bytes(), [draw_batch(some, generator)[1] for _ in range(START_BATCHES)])
    average.load_state_dict(network.state_dict())
    decayed = [weight for weight in network.parameters() if weight.ndim > 1]
    others = [weight for weight in network.parameters() if weight.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}], lr=highest
    )
    done, kept = 0, out / "checkpoint.pt"
    if kept.exists():
        state = torch.load(kept)
        network.load_state_dict(state["network"])
        average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        done = state["done"]
    files: list[Path] = []
    seen, begun = 0.0, time.process_time()
    while done < steps:
        if not files or done % CHECKPOINT == 0:
            files = files_of(cache / "train", without)
        generator = generator_of(seed, f"step {done}")
        crops, given = draw_batch(files, generator)
        for group in optimizer.param_groups:
            group["lr"] = rate_at(done, steps, highest)
        network.train()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            outputs = network(**given, kept=draw_kept(len(crops)))
        loss = losses(outputs, crops)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), LARGEST_GRADIENT)
        optimizer.step()
        done += 1
        keep = min(AVERAGE, (1 + done) / (10 + done))
        with torch.no_grad():
            for mean, now in zip(average.state_dict().values(), network.state_dict().values(), strict=True):
                if mean.dtype.is_floating_point:
                    mean.mul_(keep).add_(now, alpha=1 - keep)
                else:
                    mean.copy_(now)
        seen += float(loss)
        if done % CHECKPOINT == 0 or done == steps:
            beside = kept.with_suffix(".part")
            torch.save(
                {
                    "network": network.state_dict(),
                    "average": average.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "done": done,
                },
                beside,
            )
            beside.replace(kept)
            exported = out / "network.part.onnx"
            export(average, exported)
            if (apart := agreement(average, exported)) > AGREE:
                raise RuntimeError(f"PyTorch and ONNX Runtime are {apart:.1e} apart")
            exported.replace(out / "network.onnx")
            checked = done % (5 * CHECKPOINT) == 0 or done == steps
            figures = asdict(check(average, cache / "check")) if checked else {}
            line = {"step": done, "loss": seen / CHECKPOINT, "cpu_s": time.process_time() - begun, "files": len(files)}
            with open(out / "log.jsonl", "a") as log:
                log.write(json.dumps({**line, **figures}) + "\n")
            seen = 0.0


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="what media_model.dataset kept")
    parser.add_argument("--out", type=Path, required=True, help="folder of the checkpoint and of network.onnx")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--without", nargs="*", default=[], help="kinds of edits to leave out")
    parser.add_argument("--start", type=Path, help="exported network to go on from; else a new one")
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    train(chosen.cache, chosen.out, chosen.steps, chosen.seed, frozenset(chosen.without), chosen.start)


if __name__ == "__main__":
    main()
