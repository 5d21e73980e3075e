"""A small neural vocoder, trained here: 80 mel bands to magnitudes and phases of a short-time spectrum, which is
inverted. What it learns is a loss of short-time spectra at three sizes; it never sees a phase.

    python -m voice_model.attacks.neural --takes DIR --out FILE [--steps N] [--hop 160]

PyTorch is Debian's; only this module and ``train_network`` use it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from app.capabilities.voice.matrix import Samples
from voice_model.attacks.transforms import finished, mel_matrix
from voice_model.progress import tell

_WINDOW = 640
_BANDS = 80
_CROP_S = 0.8


class _Residual(nn.Module):
    """Depth-wise convolution over time, then two point-wise ones, added to the input (as ConvNeXt)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(width, width, 7, padding=3, groups=width),
            nn.GroupNorm(1, width),
            nn.Conv1d(width, 2 * width, 1),
            nn.GELU(),
            nn.Conv1d(2 * width, width, 1),
        )

    def forward(self, frames: Tensor) -> Tensor:
        """(batch, width, frames) as it came in."""
        return frames + self.body(frames)


class NeuralVocoder(nn.Module):
    """``hop``: samples between frames."""

    def __init__(self, hop: int, width: int = 160, depth: int = 5) -> None:
        super().__init__()
        self.hop = hop
        bins = _WINDOW // 2 + 1
        self.body = nn.Sequential(
            nn.Conv1d(_BANDS, width, 7, padding=3),
            *(_Residual(width) for _ in range(depth)),
            nn.Conv1d(width, 3 * bins, 1),
        )
        self.register_buffer("window", torch.hann_window(_WINDOW))
        self.register_buffer("mel", torch.tensor(mel_matrix(_BANDS, _WINDOW), dtype=torch.float32))

    def bands(self, waves: Tensor) -> Tensor:
        """Log mel bands, (batch, 80, frames), of waves (batch, samples)."""
        spectra = torch.stft(waves, _WINDOW, self.hop, window=self.window, return_complex=True).abs()
        return torch.log(torch.matmul(self.mel, spectra) + 1e-3)

    def forward(self, bands: Tensor, length: int) -> Tensor:
        """Waves (batch, length)."""
        logs, real, imaginary = self.body(bands).chunk(3, dim=1)
        angle = torch.atan2(imaginary, real)
        spectra = torch.polar(torch.exp(logs.clamp(max=6.0)), angle)
        return torch.istft(spectra, _WINDOW, self.hop, window=self.window, length=length)


def spectral_loss(spoken: Tensor, wanted: Tensor) -> Tensor:
    """Distance of magnitudes and of their logarithms at three window sizes (Yamamoto et al. 2020)."""
    total = torch.zeros(())
    for size in (256, 512, 1024):
        window = torch.hann_window(size)
        own, other = (
            torch.stft(waves, size, size // 4, window=window, return_complex=True).abs() + 1e-4
            for waves in (spoken, wanted)
        )
        total = total + (own - other).abs().mean() / other.mean() + (own.log() - other.log()).abs().mean()
    return total


def train_vocoder(takes: Sequence[Path], hop: int, steps: int, seed: int) -> NeuralVocoder:
    """A vocoder after so many steps of eight crops."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    waves = [np.load(take).astype(np.float32) / 32768 for take in takes]
    crop = int(_CROP_S * 16_000)
    vocoder = NeuralVocoder(hop)
    optimizer = torch.optim.AdamW(vocoder.parameters(), 2e-3, betas=(0.8, 0.99))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=steps)
    for step in range(steps):
        batch = []
        for index in rng.integers(0, len(waves), 8):
            begin = int(rng.integers(0, len(waves[index]) - crop))
            batch.append(waves[index][begin : begin + crop])
        wanted = torch.from_numpy(np.stack(batch))
        loss = spectral_loss(vocoder(vocoder.bands(wanted), crop), wanted)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(vocoder.parameters(), 5.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            tell(step, round(float(loss), 3))
    return vocoder


def vocoded(vocoder: NeuralVocoder, wave: Samples) -> Samples:
    """The wave through the vocoder."""
    with torch.no_grad():
        waves = torch.from_numpy(np.asarray(wave, np.float32))[None]
        return finished(vocoder(vocoder.bands(waves), len(wave))[0].numpy().astype(np.float64), wave)


def read_vocoder(file: Path) -> NeuralVocoder:
    """One that ``main`` wrote."""
    stored = torch.load(file)
    vocoder = NeuralVocoder(stored["hop"])
    vocoder.load_state_dict(stored["weights"])
    return vocoder.eval()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--takes", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--hop", type=int, default=160)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    vocoder = train_vocoder(sorted(chosen.takes.glob("*.npy")), chosen.hop, chosen.steps, seed=chosen.hop)
    torch.save({"hop": chosen.hop, "weights": vocoder.state_dict()}, chosen.out)


if __name__ == "__main__":
    main()
