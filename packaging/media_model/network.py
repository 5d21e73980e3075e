"""The network over blocks (PyTorch), and its export to ONNX."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import torch
from torch import Tensor, nn

from app.capabilities.media.analysis.features import CHANNELS, KEPT
from media_model.crops import AFTER_LIVES

WIDTH: Final = 48
"""Channels of the residual blocks."""
DILATIONS: Final = (1, 2, 4, 8, 1)
GROUP_WIDTHS: Final = {"maps": 40, "phases": 24, "histograms": 16, "modes": 24, "numbers": 8}
"""Channels of each input group after its own layer."""
DROPPED: Final = {"maps": 0.2, "phases": 0.12, "histograms": 0.12, "modes": 0.12, "numbers": 0.12}
"""Probability that a group is zeroed for one image of a training step."""
HEAD: Final = 32
OPSET: Final = 16
_EPSILON: Final = 1e-5


class ContextBlock(nn.Module):
    """Two dilated 3x3 convolutions, with a linear function of the image's channel means and deviations, beside the
    identity."""

    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=dilation, dilation=dilation, bias=False)
        self.first_norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=dilation, dilation=dilation, bias=False)
        self.second_norm = nn.BatchNorm2d(width)
        self.whole = nn.Linear(2 * width, width)
        nn.init.zeros_(self.whole.weight)
        nn.init.zeros_(self.whole.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Shape (images, width, rows, columns), kept."""
        inner = torch.relu(self.first_norm(self.first(x)))
        told = self.whole(_moments(x))
        return torch.relu(x + self.second_norm(self.second(inner)) + told[:, :, None, None])


class HeatNetwork(nn.Module):
    """From the arrays of ``features.network_arrays``, with the number of images before, and ``kept``, shape (images,
    groups), 1 for each group that is read and 0 for one that is not, to the logits of the blocks, shape (images, rows,
    columns), of the images, shape (images,), and of their after-lives, shape (images, 5)."""

    def __init__(self, width: int = WIDTH) -> None:
        super().__init__()
        self.groups = nn.ModuleDict(
            {
                name: nn.Sequential(nn.Linear(CHANNELS[name], own, bias=False), _Norm(own), nn.ReLU())
                for name, own in GROUP_WIDTHS.items()
            }
        )
        self.mix = nn.Conv2d(2 * sum(GROUP_WIDTHS.values()), width, 1, bias=False)
        self.mix_norm = nn.BatchNorm2d(width)
        self.blocks = nn.Sequential(*(ContextBlock(width, dilation) for dilation in DILATIONS))
        self.logit = nn.Conv2d(width, 1, 1)
        self.attention = nn.Conv2d(width, 1, 1)
        self.head = nn.Linear(3 * width + 2, HEAD)
        self.image = nn.Linear(HEAD, 1)
        self.after = nn.Linear(HEAD, len(AFTER_LIVES))

    def forward(
        self, maps: Tensor, phases: Tensor, histograms: Tensor, modes: Tensor, numbers: Tensor, kept: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The logits; see the class."""
        spread = numbers[:, None, None, :].expand(-1, maps.shape[1], maps.shape[2], -1)
        given = {"maps": maps, "phases": phases, "histograms": histograms, "modes": modes, "numbers": spread}
        seen = []
        for number, (name, layer) in enumerate(self.groups.items()):
            group = layer(given[name])
            seen.append(group * kept[:, number, None, None, None].to(group.dtype))
        joined = torch.cat(seen, dim=3).permute(0, 3, 1, 2).contiguous()
        joined = torch.cat([joined, joined - joined.mean((2, 3), keepdim=True)], dim=1)
        x = self.blocks(torch.relu(self.mix_norm(self.mix(joined))))
        logits = self.logit(x)[:, 0]
        attention = torch.softmax(self.attention(x).float().flatten(2), dim=2)
        attended = (x.float().flatten(2) * attention).sum(2)
        flat = logits.float().flatten(1)
        extremes = torch.stack([flat.max(dim=1).values, flat.mean(1)], dim=1) / 4
        hidden = torch.relu(self.head(torch.cat([attended, _moments(x), extremes], dim=1)))
        return logits, self.image(hidden)[:, 0], self.after(hidden)


def all_kept(images: int) -> Tensor:
    """``kept`` of images whose groups are all read."""
    return torch.ones((images, len(GROUP_WIDTHS)))


def draw_kept(images: int) -> Tensor:
    """``kept`` of a training step, by torch's own generator: each group is missing as often as ``DROPPED`` says."""
    return torch.stack([(torch.rand(images) >= DROPPED[name]).float() for name in GROUP_WIDTHS], dim=1)


class _Norm(nn.Module):
    """Batch normalization over the last dimension."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x.flatten(0, 2)).view(x.shape)


def _moments(x: Tensor) -> Tensor:
    """Means and deviations of the channels, shape (images, 2 channels)."""
    x = x.float()
    mean = x.mean((2, 3))
    variance = ((x - mean[:, :, None, None]) ** 2).mean((2, 3))
    return torch.cat([mean, torch.sqrt(variance + _EPSILON)], dim=1)


def export(network: HeatNetwork, path: Path) -> None:
    """Writes the network as ONNX, for one image of any number of rows and columns at a time: it gives the
    probabilities of the blocks, of the image, and of the after-lives."""

    class Probabilities(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = network

        def forward(self, *arrays: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            blocks, image, after = self.inner(*arrays)
            return torch.sigmoid(blocks), torch.sigmoid(image), torch.softmax(after, dim=1)

    network.eval()
    some = blank(12, 16)
    torch.onnx.export(
        Probabilities(),
        tuple(some.values()),
        str(path),
        input_names=list(some),
        output_names=["heatmap", "score", "after"],
        dynamic_axes={name: {1: "rows", 2: "columns"} for name in (*tuple(some)[:-2], "heatmap")},
        opset_version=OPSET,
    )


def blank(rows: int, columns: int) -> Mapping[str, Tensor]:
    """Drawn inputs of one image, to try a network with."""
    generator = torch.Generator().manual_seed(0)
    arrays = {
        name: torch.randn((1, rows, columns, channels), generator=generator) for name, channels in CHANNELS.items()
    }
    numbers = torch.randn((1, CHANNELS["numbers"]), generator=generator)
    return {**arrays, "numbers": numbers, KEPT: torch.rand((1, len(GROUP_WIDTHS)), generator=generator).round()}
