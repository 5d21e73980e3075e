"""The statistics of a conditioned recording in plain sums and loops, double precision: what the quick ones must be.

Tracks of F0 and formants, linear prediction and sub-band envelopes come from the program; they have tests of their own.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from app.capabilities.voice.analysis.pitch import formants_of, linear_prediction, pitch_of

Array = npt.NDArray[np.float64]


def shape(values: list[float]) -> tuple[float, float, float]:
    """Deviation, skewness, excess kurtosis."""
    found = np.array(values)
    middle = found - found.mean()
    second = np.mean(middle**2)
    return float(second**0.5), float(np.mean(middle**3) / second**1.5), float(np.mean(middle**4) / second**2 - 3)


def loud_frames(power: Array, range_db: float) -> list[bool]:
    """Frames within ``range_db`` of the 95 % quantile."""
    level = 10 * np.log10(power.sum(axis=1) + 1e-12)
    return [bool(one > np.quantile(level, 0.95) - range_db) for one in level]


def magnitude_reference(magnitudes: npt.NDArray[np.float32]) -> list[float]:
    """H, 133 numbers."""
    power = magnitudes.astype(np.float64) ** 2
    loud = loud_frames(power, 30)
    f0, strength = pitch_of(magnitudes * magnitudes, 0.02)
    tracks = formants_of(magnitudes * magnitudes, 1)
    level = np.log(power.sum(axis=1) + 1e-12)
    voiced = [one and s > 0.5 for one, s in zip(loud, strength, strict=True)]
    found: list[float] = []
    for number in range(3):
        there = [one and tracks[t, number] > 0 for t, one in enumerate(voiced)]
        track = [np.log(max(value, 1)) for value in tracks[:, number]]
        found.append(float(np.median(np.abs(steps(track, there)))))
        pairs = [
            (track[t + 1] - track[t], track[t + 2] - track[t + 1])
            for t in range(len(track) - 2)
            if there[t] and there[t + 1] and there[t + 2]
        ]
        found.append(float(np.corrcoef(np.array(pairs).T)[0, 1]))
    log_f0 = list(np.log(f0))
    first = steps(log_f0, voiced)
    second = [
        log_f0[t + 2] - 2 * log_f0[t + 1] + log_f0[t]
        for t in range(len(log_f0) - 2)
        if voiced[t] and voiced[t + 1] and voiced[t + 2]
    ]
    found += [float(np.quantile(np.abs(first), share)) for share in (0.5, 0.9)]
    found.append(float(np.median(np.abs(second))))
    found.append(shape(first)[2])
    found.append(float(np.median([s for s, one in zip(strength, voiced, strict=True) if one])))
    found.append(float(np.median(np.abs(steps(list(strength), voiced)))))
    found.append(float(np.median(np.abs(steps(list(level), voiced)))))
    shapes = [
        shape(steps([float(np.log(row[4 + 17 * b : 21 + 17 * b].sum())) for row in power], loud)) for b in range(12)
    ]
    found += [shapes[b][kind] for kind in range(3) for b in range(12)]
    found += modulation(power)
    logs = np.log(power[:, 4:208] + 1e-12)
    narrow, wide = over_mean(logs, 5), over_mean(logs, 17)
    found += fine_shapes(narrow, loud)
    for frames, bins in ((1, 0), (2, 0), (1, 1), (1, -1)):
        found += alike(narrow, loud, frames, bins)
    found += fine_shapes(wide, loud)
    for frames, bins in ((1, 0), (2, 0), (0, 1)):
        found += alike(wide, loud, frames, bins)
    return found


def steps(track: list[float], there: list[bool]) -> list[float]:
    """Differences of neighbours that are both there."""
    return [track[t + 1] - track[t] for t in range(len(track) - 1) if there[t] and there[t + 1]]


def modulation(power: Array) -> list[float]:
    """Six shares of five bands' log energies, their logarithms' mean over the bands."""
    edges = [int(edge) for edge in np.linspace(4, 208, 6)]
    shares = np.zeros((5, 6))
    for band, (low, high) in enumerate(itertools.pairwise(edges)):
        track = np.log(power[:, low:high].sum(axis=1) + 1e-12)
        spectra = []
        for start in range(0, len(track) - 63, 32):
            part = track[start : start + 64]
            window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(64) / 64)
            spectra.append(np.abs(np.fft.rfft((part - part.mean()) * window)) ** 2)
        mean = np.mean(spectra, axis=0)
        bounds = (1, 2, 4, 8, 13, 21, 33)
        energy = [mean[low:high].sum() for low, high in itertools.pairwise(bounds)]
        shares[band] = np.log(np.array(energy) / np.sum(energy))
    return [float(value) for value in shares.mean(axis=0)]


def over_mean(logs: Array, width: int) -> Array:
    """Each value less the mean of its neighbours; beyond the ends the last one counts again."""
    found = np.zeros_like(logs)
    for at in range(logs.shape[1]):
        places = [min(max(k, 0), logs.shape[1] - 1) for k in range(at - width // 2, at + width // 2 + 1)]
        found[:, at] = logs[:, at] - logs[:, places].mean(axis=1)
    return found


def fine_shapes(fine: Array, loud: list[bool]) -> list[float]:
    shapes = [shape(list(fine[loud, 34 * b : 34 * b + 34].reshape(-1))) for b in range(6)]
    return [shapes[b][kind] for kind in range(3) for b in range(6)]


def alike(fine: Array, loud: list[bool], frames: int, bins: int) -> list[float]:
    """Cosine of a band with itself, later and higher."""
    found = []
    for band in range(6):
        part = fine[:, 34 * band : 34 * band + 34]
        both = cross = own = 0.0
        for t in range(len(part) - frames):
            if not all(loud[t : t + frames + 1]):
                continue
            for k in range(34):
                if 0 <= k + bins < 34:
                    here, there = part[t, k], part[t + frames, k + bins]
                    both += here * there
                    own += here**2
                    cross += there**2
        found.append(both / (own * cross) ** 0.5)
    return found


def phase_reference(wave: npt.NDArray[np.float32], envelopes: npt.NDArray[np.float32]) -> list[float]:
    """X, 94 numbers."""
    samples = wave.astype(np.float64)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(320) / 320)
    spectra = np.array([np.fft.rfft(samples[t : t + 320] * window, 512) for t in range(0, len(samples) - 319, 80)])
    power = np.abs(spectra) ** 2
    loud = loud_frames(power, 25)
    lags = np.fft.irfft(power[::2])[:, :17]
    filters, error = linear_prediction(lags, 16)
    residual = []
    for frame, taps in enumerate(filters):
        block = [
            sum(float(taps[lag]) * samples[160 * frame + 80 + n - lag] for lag in range(17))
            for n in range(160)
            if 160 * frame + 240 <= len(samples)
        ]
        if len(block) == 160:
            residual.append(block)
    triples = []
    for frame in range(len(residual) - 1):
        if loud[2 * frame]:
            both = np.array(residual[frame] + residual[frame + 1])
            deviation, skewness, kurtosis = shape(list(both))
            triples.append((skewness, np.log(kurtosis + 4), np.abs(both).max() / deviation))
    table = np.array(triples)
    table[:, 0] *= 1 if np.median(table[:, 0]) >= 0 else -1
    found = [float(np.quantile(table[:, k], share)) for k in range(3) for share in (0.1, 0.3, 0.5, 0.7, 0.9)]
    gains = [np.log(lags[t, 0] / error[t]) for t in range(len(lags)) if loud[2 * t]]
    found += [float(np.quantile(gains, share)) for share in (0.1, 0.5, 0.9)]
    found += residual_envelope(np.abs(residual).reshape(-1))
    found += coherence(envelopes.astype(np.float64))
    inner = spectra[:, 4:208]
    held = []
    for frame in range(len(inner)):
        if loud[frame]:
            products = [inner[frame, k + 1] * np.conj(inner[frame, k]) for k in range(203)]
            products.append(products[-1])
            held.append(
                [
                    abs(sum(products[17 * b : 17 * b + 17])) / sum(abs(one) for one in products[17 * b : 17 * b + 17])
                    for b in range(12)
                ]
            )
    found += [float(value) for value in np.mean(held, axis=0)] + [float(value) for value in np.std(held, axis=0)]
    return found + second_differences(np.angle(inner), np.abs(inner) ** 2, loud)


def residual_envelope(modulus: Array) -> list[float]:
    """Eight log shares, skewness and log kurtosis, skewnesses of two slopes."""
    envelope = modulus.reshape(-1, 4).mean(axis=1)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(1024) / 1024)
    parts = [envelope[at : at + 1024] / envelope[at : at + 1024].mean() for at in range(0, len(envelope) - 1023, 512)]
    mean = np.mean([np.abs(np.fft.rfft((part - 1) * window)) ** 2 for part in parts], axis=0)
    bounds = (2, 5, 10, 20, 41, 82, 164, 328, 513)
    energy = [mean[low:high].sum() for low, high in itertools.pairwise(bounds)]
    _, skewness, kurtosis = shape(list(np.concatenate(parts)))
    slopes = [shape(list(envelope[lag:] - envelope[:-lag]))[1] for lag in (1, 2)]
    return [float(np.log(one / np.sum(energy))) for one in energy] + [skewness, float(np.log(kurtosis + 1)), *slopes]


def coherence(envelopes: Array) -> list[float]:
    """Sixteen numbers of sub-bands' pulses."""
    logs = np.log(envelopes + 1e-6)
    local = np.array([logs[at : at + 41].mean(axis=0) for at in range(len(logs) - 40)])
    level = local.mean(axis=1)
    loud = level > np.median(level[::20])
    pulses = (logs[20 : 20 + len(local)] - local) * loud[:, None]

    def together(one: Array, other: Array, later: int) -> float:
        product = one[later:] * other[: len(other) - later]
        return float(product.sum() / np.sqrt((one**2).sum() * (other**2).sum()))

    bands = [pulses[:, band] for band in range(8)]
    found = [together(bands[b], bands[b + 1], 0) for b in range(7)]
    found += [together(bands[b], bands[b + 1], 1) - together(bands[b + 1], bands[b], 1) for b in range(7)]
    for apart in (2, 4):
        found.append(float(np.mean([together(bands[b], bands[b + apart], 0) for b in range(8 - apart)])))
    return found


def second_differences(angle: Array, power: Array, loud: list[bool]) -> list[float]:
    """Mean cosines of angles that are taken, in six bands."""
    found = []
    for mixed in (False, True):
        for multiple in (1, 2):
            for band in range(6):
                cosines = []
                for t in range(1, len(angle) - (not mixed)):
                    if not loud[t]:
                        continue
                    columns = range(34 * band, 34 * band + 34)
                    limit = power[t, columns].mean()
                    for k in columns:
                        if power[t, k] <= limit:
                            continue
                        if not mixed:
                            turn = angle[t + 1, k] - 2 * angle[t, k] + angle[t - 1, k]
                        elif k > 0:
                            turn = angle[t, k] - angle[t - 1, k] - angle[t, k - 1] + angle[t - 1, k - 1]
                        else:
                            # The lowest bin has no neighbour below: it counts as no cosine at all.
                            cosines.append(0.0 if multiple == 1 else -1.0)
                            continue
                        cosines.append(float(np.cos(multiple * turn)))
                found.append(float(np.mean(cosines)))
    return found


def envelope_reference(wave: npt.NDArray[np.float32], envelopes: npt.NDArray[np.float32]) -> list[float]:
    """Y, 156 numbers."""
    whole = envelopes[: len(envelopes) // 40 * 40].astype(np.float64)
    blocks = [whole[at : at + 40] for at in range(0, len(whole), 40)]
    levels = [block.sum(axis=1).mean() for block in blocks]
    limit = np.quantile(levels, 0.65)
    loud = np.repeat([level > limit for level in levels], 40)
    logs = np.log(whole + 1e-6)
    change = np.array([logs[n + 2] - logs[n] for n in range(len(logs) - 2) if loud[n] and loud[n + 2]])
    local = np.concatenate(
        [block / block.mean(axis=0) for block, level in zip(blocks, levels, strict=True) if level > limit]
    )
    found = []
    for table in (logs, local, change):
        found += [float(np.corrcoef(table[:, a], table[:, b])[0, 1]) for a, b in itertools.combinations(range(8), 2)]
    shapes = [shape(list(local[:, band])) for band in range(8)]
    found += [one[1] for one in shapes] + [float(np.log(one[2] + 3)) for one in shapes]
    rows = []
    for start in range(0, len(envelopes) - 79, 40):
        part = envelopes[start : start + 80].astype(np.float64)
        part = part - part.mean(axis=0)
        normal = np.array(
            [(part[: 80 - lag] * part[lag:]).sum(axis=0) * 80 / (80 - lag) / (part**2).sum(axis=0) for lag in range(32)]
        )
        best = 5 + int(np.argmax(normal[5:].sum(axis=1)))
        rows.append(normal[best])
    found += [float(value) for value in np.mean(rows, axis=0)] + [float(value) for value in np.std(rows, axis=0)]
    return found + bispectrum(wave.astype(np.float64))


def bispectrum(samples: Array) -> list[float]:
    """Forty numbers of twenty regions."""
    tap = np.arange(-15, 16)
    kernel = np.sinc(tap / 2) * (0.54 + 0.46 * np.cos(np.pi * tap / 15))
    kernel /= kernel.sum()
    padded = np.pad(samples, 15)
    low = np.array([(padded[n : n + 31] * kernel[::-1]).sum() for n in range(0, len(samples), 2)])
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(256) / 256)
    spectra = [np.fft.rfft(low[at : at + 256] * window) for at in range(0, len(low) - 255, 128)]
    level = [np.sum(np.abs(one) ** 2) for one in spectra]
    spectra = [one for one, size in zip(spectra, level, strict=True) if size > np.quantile(level, 0.4)]
    regions: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for one in range(2, 128, 3):
        for other in range(one, 128 - one):
            if (other - 2) % 3 == 0:
                regions.setdefault((one // 16, min(other // 16, 7 - one // 16)), []).append((one, other))
    normal = []
    for spectrum in spectra:
        row = []
        for region in sorted(regions):
            products = [spectrum[i] * spectrum[j] * np.conj(spectrum[i + j]) for i, j in regions[region]]
            row.append(sum(products) / sum(abs(one) for one in products))
        normal.append(row)
    real = np.mean(np.real(normal), axis=0)
    return [float(v) for v in np.mean(np.abs(normal), axis=0)] + [float(v) for v in real * np.sign(real.sum())]
