"""Weights of a network that was exported, for a training that goes on from it.

The export has folded each batch normalization into the convolution before it. It is put back so that the network
answers as before, and that training may move its statistics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from media_model.exported import Weights, weights_of
from media_model.network import GROUP_WIDTHS, HeatNetwork, all_kept

_SPREAD: Final = 0.03
"""Deviation of a convolution's weights after its scale went into the normalization: about what a new one has, so that
steps of one size suit both."""


def start_from(network: HeatNetwork, model: bytes, batches: Sequence[Mapping[str, Tensor]]) -> None:
    """Gives the network the weights of an export of the same shape. ``batches``: inputs whose statistics the put back
    normalizations begin with, at least one. KeyError or ValueError where the export is of another shape."""
    weights = weights_of(model)
    named = {
        name.removeprefix("inner."): torch.from_numpy(values.copy())
        for name, values in weights.items()
        if name.startswith("inner.")
    }
    named |= {
        f"groups.{group}.0.weight": torch.from_numpy(values.T.copy())
        for group, values in zip(GROUP_WIDTHS, _of(weights, "onnx::MatMul"), strict=True)
    }
    folded = list(_of(weights, "onnx::Conv"))
    for (convolution, norm), kernel, bias in zip(pairs(network), folded[::2], folded[1::2], strict=True):
        named[f"{convolution}.weight"] = torch.from_numpy(kernel.copy())
        named[f"{norm}.weight"] = torch.ones(len(bias))
        named[f"{norm}.bias"] = torch.from_numpy(bias.copy())
        named[f"{norm}.running_mean"] = torch.zeros(len(bias))
        named[f"{norm}.running_var"] = torch.ones(len(bias)) - network.mix_norm.eps
    kept = network.state_dict()
    if missing := [name for name in kept if name not in named and not name.endswith("num_batches_tracked")]:
        raise KeyError(f"the export has no {missing[0]}")
    network.load_state_dict({**kept, **named})
    _put_back(network, batches)


def pairs(network: HeatNetwork) -> tuple[tuple[str, str], ...]:
    """The names of each convolution and the normalization behind it, in the order of the export."""
    blocks = range(len(network.blocks))
    inner = (
        (f"blocks.{number}.{which}", f"blocks.{number}.{which}_norm")
        for number in blocks
        for which in ("first", "second")
    )
    return (("mix", "mix_norm"), *inner)


def _put_back(network: HeatNetwork, batches: Sequence[Mapping[str, Tensor]]) -> None:
    """Moves scale and place of each convolution's answers into its normalization."""
    modules = dict(network.named_modules())
    sums: dict[str, list[Tensor]] = {}

    def note(name: str) -> object:
        def hook(_: nn.Module, given: tuple[Tensor, ...]) -> None:
            sums.setdefault(name, []).append(torch.stack([given[0].mean((0, 2, 3)), (given[0] ** 2).mean((0, 2, 3))]))

        return modules[name].register_forward_pre_hook(hook)

    hooks = [note(norm) for _, norm in pairs(network)]
    network.eval()
    with torch.no_grad():
        for batch in batches:
            network(**batch, kept=all_kept(len(batch["maps"])))
        for hook in hooks:
            hook.remove()
        for convolution, norm in pairs(network):
            mean, square = torch.stack(sums[norm]).mean(0)
            weight, normal = modules[convolution].weight, modules[norm]
            scale = _SPREAD / weight.flatten(1).std(1).clamp(min=1e-6)
            variance = (square - mean**2).clamp(min=1e-8) * scale**2
            weight.mul_(scale[:, None, None, None])
            normal.running_mean.copy_(mean * scale)
            normal.running_var.copy_(variance)
            normal.weight.copy_(torch.sqrt(variance + normal.eps) / scale)
            normal.bias.add_(mean)


def _of(weights: Weights, start: str) -> Iterator[npt.NDArray[np.float32]]:
    return (values for name, values in weights.items() if name.startswith(start))
