"""Trains the small network on bands and writes it as ONNX: one for all languages, one for each fold without its own.

    python -m voice_model.train_network --cache DIR --out DIR [--fold K] [--without-family NAME] [--steps N]

PyTorch is Debian's; the product runs the file in ONNX Runtime.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from app.capabilities.voice.clone.network import INPUT, OUTPUT
from voice_model.dataset import Cached, family_of, read_cache
from voice_model.progress import tell
from voice_model.train_experts import folds_of, is_synthetic, networks_without, shares_of

CROP: Final = 160
"""Frames of a training example."""
BATCH: Final = 48
RATE: Final = 3e-3
_NO_FOLD: Final = -1


class _MaxFeatureMap(nn.Module):
    """A convolution, batch normalisation, and of each pair of maps the larger value (Wu et al. 2018)."""

    def __init__(self, channels: int, maps: int, kernel: int, stride: int) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(channels, 2 * maps, kernel, stride=stride, padding=kernel // 2, bias=False)
        self.normal = nn.BatchNorm2d(2 * maps)

    def forward(self, planes: Tensor) -> Tensor:
        """(batch, maps, rows, columns)."""
        first, second = self.normal(self.convolution(planes)).chunk(2, dim=1)
        return torch.maximum(first, second)


class BandNetwork(nn.Module):
    """About 46,000 weights. Mean and deviation over time after four halvings; frequency is kept. Strides instead of
    pools: four times as many examples in the same time taught more."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _MaxFeatureMap(1, 16, 7, 4),
            _MaxFeatureMap(16, 24, 3, 2),
            _MaxFeatureMap(24, 32, 3, 2),
            _MaxFeatureMap(32, 40, 3, 1),
        )
        self.drop = nn.Dropout(0.2)
        self.last = nn.Linear(40 * 8 * 2, 1)

    def forward(self, bands: Tensor) -> Tensor:
        """Scores (batch, 1) of bands (batch, 1, frames, 128)."""
        planes = self.body(bands * 0.4)
        mean = planes.mean(dim=2)
        spread = torch.sqrt(((planes - mean.unsqueeze(2)) ** 2).mean(dim=2) + 1e-4)
        return self.last(self.drop(torch.cat([mean, spread], dim=1).flatten(1)))


def crops_of(cached: Cached, indexes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random piece of each of these rows, (n, 1, CROP, 128), in half of them with a stripe of frequencies taken
    out: none alone may decide."""
    found = np.zeros((len(indexes), 1, CROP, cached.bands.shape[2]), np.float32)
    for place, index in enumerate(indexes):
        frames = int(cached.frames[index])
        begin = int(rng.integers(0, max(1, frames - CROP + 1)))
        piece = cached.bands[index, begin : min(begin + CROP, frames)].astype(np.float32)
        piece = np.tile(piece, (-(-CROP // len(piece)), 1))[:CROP]
        if rng.random() < 0.5:
            low = int(rng.integers(0, 112))
            piece[:, low : low + int(rng.integers(4, 20))] = 0.0
        found[place, 0] = piece
    return found


def train(cached: Cached, steps: int, seed: int) -> BandNetwork:
    """A network after so many batches, each drawn by ``shares_of``."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    synthetic = is_synthetic(cached.rows).astype(np.float32)
    shares = shares_of(cached.rows)
    network = BandNetwork()
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.2)
    loss_of = nn.BCEWithLogitsLoss()
    running = 0.7
    for step in range(steps):
        indexes = rng.choice(len(shares), BATCH, p=shares / shares.sum())
        loss = loss_of(
            network(torch.from_numpy(crops_of(cached, indexes, rng)))[:, 0], torch.from_numpy(synthetic[indexes])
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        running += 0.02 * (float(loss) - running)
        if step % 100 == 99:
            tell(step + 1, round(running, 3))
    return network.eval()


def export(network: BandNetwork, file: Path) -> None:
    """Writes the ONNX file, whole or not at all; any number of frames of at least 64."""
    part = file.with_name(f".{file.name}.part")
    torch.onnx.export(
        network,
        torch.zeros(1, 1, CROP, 128),
        str(part),
        input_names=[INPUT],
        output_names=[OUTPUT],
        dynamic_axes={INPUT: {2: "frames"}},
        opset_version=13,
    )
    part.replace(file)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--fold", type=int, default=_NO_FOLD, help="what is held out; -1: nothing")
    parser.add_argument("--without-family", default="", help="of attacks, to be measured as unknown")
    parser.add_argument("--steps", type=int, default=3000)
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    out = networks_without(chosen.out, chosen.without_family)
    out.mkdir(parents=True, exist_ok=True)
    file = out / ("all.onnx" if chosen.fold == _NO_FOLD else f"fold{chosen.fold}.onnx")
    if file.exists():
        # Hours of work: to train it anew, remove it.
        tell(file.name, "is there already")
        return
    cached = read_cache(chosen.cache)
    folds = folds_of(cached.rows)
    own = np.array([row.source == "own" and family_of(row.kind) != chosen.without_family for row in cached.rows])
    network = train(cached.chosen(own & (folds >= 0) & (folds != chosen.fold)), chosen.steps, seed=20 + chosen.fold)
    export(network, file)


if __name__ == "__main__":
    main()
