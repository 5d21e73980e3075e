"""Recordings become mono at 16 kHz: files that keep to their header are read exactly, all others are refused whole."""

from __future__ import annotations

import math
import struct
import wave as wave_module
from io import BytesIO

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.capabilities.voice.matrix import MAX_SAMPLES, matrix_of, npy_bytes, read_matrix
from app.client.voice_recording import (
    LONGEST_S,
    MAX_BYTES,
    FloatArray,
    RecordingRefused,
    Resampler,
    read_recording,
    resample,
)

RATE = 16_000
PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
GUID_REST = bytes.fromhex("000000001000800000aa00389b71")


def tone(rate: int, hertz: float = 440.0, seconds: float = 1.5, level: float = 0.5) -> FloatArray:
    """A sine, float32 (n,)."""
    return (level * np.sin(2 * np.pi * hertz * np.arange(round(rate * seconds)) / rate)).astype(np.float32)


def chunk(name: bytes, content: bytes) -> bytes:
    """A chunk of a WAV file."""
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def form(kind: int, channels: int, rate: int, bits: int) -> bytes:
    """The content of ``fmt ``."""
    size = channels * bits // 8
    if kind != EXTENSIBLE:
        return struct.pack("<HHIIHH", kind, channels, rate, rate * size, size, bits)
    head = struct.pack("<HHIIHHHHI", kind, channels, rate, rate * size, size, bits, 22, bits, 0)
    return head + struct.pack("<H", PCM) + GUID_REST


def wav(*chunks: bytes) -> bytes:
    """A WAV file of these chunks."""
    content = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(content)) + content


def wav_of(samples: bytes, kind: int = PCM, channels: int = 1, rate: int = RATE, bits: int = 16) -> bytes:
    """A WAV file of these bytes."""
    return wav(chunk(b"fmt ", form(kind, channels, rate, bits)), chunk(b"data", samples))


def packed(sound: FloatArray, bits: int) -> bytes:
    """PCM samples of so many bits, little-endian."""
    if bits == 8:
        return (np.round(sound * 127) + 128).astype(np.uint8).tobytes()
    whole = np.round(sound.astype(np.float64) * (2 ** (bits - 1) - 1)).astype("<i4")
    if bits == 24:
        return whole.view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    return whole.astype(f"<i{bits // 8}").tobytes()


def flac_of(sound: FloatArray, rate: int, channels: int = 1, form: str = "s16", *, repeated: bool = True) -> bytes:
    """A FLAC file as FFmpeg's encoder writes it: ``sound`` in every channel, or channel beside channel."""
    file = BytesIO()
    scale = 2**15 if form == "s16" else 2**31
    kind = np.int16 if form == "s16" else np.int32
    whole = np.clip(np.round(sound.astype(np.float64) * scale), -scale, scale - 1).astype(kind)
    with av.open(file, "w", format="flac") as container:
        stream = container.add_stream("flac", rate=rate, layout="mono" if channels == 1 else "stereo")
        stream.format = form
        frame = av.AudioFrame.from_ndarray(
            (np.repeat(whole, channels) if repeated else whole)[None, :],
            format=form,
            layout="mono" if channels == 1 else "stereo",
        )
        frame.sample_rate = rate
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)
    return file.getvalue()


def test_a_file_of_the_standard_library_is_read() -> None:
    """Another writer's WAV: Python's own."""
    file = BytesIO()
    with wave_module.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(RATE)
        writer.writeframes(packed(tone(RATE), 16))
    assert np.abs(read_recording(file.getvalue()) - tone(RATE)).max() < 2 / 2**15


@pytest.mark.parametrize(("bits", "step"), [(8, 2.0 / 127), (16, 2.0**-14), (24, 2.0**-22), (32, 2.0**-23)])
def test_pcm_of_every_width_is_read(bits: int, step: float) -> None:
    """Within a step of its width."""
    assert np.abs(read_recording(wav_of(packed(tone(RATE), bits), bits=bits)) - tone(RATE)).max() <= step


@pytest.mark.parametrize("bits", [32, 64])
def test_floats_are_read_and_kept_within_full_scale(bits: int) -> None:
    """A sample beyond it is cut off, as a converter would."""
    sound = tone(RATE, level=1.5)
    found = read_recording(wav_of(sound.astype(f"<f{bits // 8}").tobytes(), FLOAT, bits=bits))
    assert np.array_equal(found, np.clip(sound, -1, 1))


def test_the_extensible_form_is_read() -> None:
    """As sound editors write more than 16 bits."""
    found = read_recording(wav_of(packed(tone(RATE), 24), EXTENSIBLE, bits=24))
    assert np.abs(found - tone(RATE)).max() <= 2.0**-22


def test_chunks_of_others_are_passed_over() -> None:
    """Names, cues and pictures, of even and odd length."""
    data = wav(
        chunk(b"LIST", b"abc"), chunk(b"fmt ", form(PCM, 1, RATE, 16)), chunk(b"cue ", b""),
        chunk(b"data", packed(tone(RATE), 16)), chunk(b"id3 ", b"x"),
    )  # fmt: skip
    assert len(read_recording(data)) == 1.5 * RATE


@pytest.mark.parametrize("form_name", ["s16", "s32"])
def test_flac_is_read(form_name: str) -> None:
    """16 and 24 bits, by FFmpeg's own encoder."""
    assert np.abs(read_recording(flac_of(tone(RATE), RATE, form=form_name)) - tone(RATE)).max() < 2.0**-14


@pytest.mark.parametrize("make", [wav_of, None])
def test_channels_are_mixed_by_their_mean(make: object) -> None:
    """Two that are opposite cancel; two that are equal stay."""
    sound = tone(RATE)
    if make is None:
        assert np.abs(read_recording(flac_of(sound, RATE, channels=2)) - sound).max() < 2.0**-14
        opposite = flac_of(np.stack([sound, -sound], axis=1).reshape(-1), RATE, channels=2, repeated=False)
        assert np.abs(read_recording(opposite)).max() < 2.0**-14
        return
    both = np.stack([sound, -sound], axis=1).reshape(-1)
    assert np.abs(read_recording(wav_of(packed(both, 16), channels=2))).max() == 0


@pytest.mark.parametrize("rate", [8_000, 11_025, 22_050, 44_100, 44_101, 48_000, 96_000, 192_000])
def test_a_tone_of_any_rate_is_the_same_tone(rate: int) -> None:
    """In pitch, level and time."""
    found = resample(tone(rate, 1_000.0, 1.0), rate)
    assert len(found) == RATE
    inside = slice(400, -400)
    assert np.abs(found - tone(RATE, 1_000.0, 1.0))[inside].max() < 1e-5


@pytest.mark.parametrize("rate", [44_100, 48_000, 191_999])
def test_what_16_khz_cannot_carry_does_not_fold_back(rate: int) -> None:
    """A tone of 9 kHz is gone, not one of 7 kHz: 90 dB down."""
    assert np.abs(resample(tone(rate, 9_000.0, 1.0), rate))[400:-400].max() < 0.5 * 10 ** (-90 / 20)


@settings(max_examples=25, deadline=None)
@given(
    rate=st.sampled_from([8_000, 11_025, 44_100, 48_000, 50_021, 192_000]),
    cuts=st.lists(st.integers(0, 5_000), max_size=12),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_stream_cut_anyhow_gives_the_same_samples(rate: int, cuts: list[int], seed: int) -> None:
    """A microphone's blocks are of any length, empty ones too."""
    sound = np.random.default_rng(seed).uniform(-1, 1, 6_000).astype(np.float32)
    stream = Resampler(rate)
    blocks = np.split(sound, sorted(min(cut, len(sound)) for cut in cuts))
    found = np.concatenate([*(stream.push(block) for block in blocks), stream.finish()])
    assert np.array_equal(found, resample(sound, rate))


@settings(max_examples=20, deadline=None)
@given(rate=st.integers(8_000, 192_000), count=st.integers(1, 3_000))
def test_a_recording_keeps_its_length_at_any_rate(rate: int, count: int) -> None:
    """Within one sample, and finite throughout."""
    found = resample(np.ones(count, np.float32), rate)
    assert len(found) == -(-count * RATE // rate)
    assert np.isfinite(found).all()


def test_a_resampler_that_is_wiped_holds_nothing() -> None:
    """What it kept for the next block is zero."""
    stream = Resampler(48_000)
    stream.push(tone(48_000))
    stream.wipe()
    assert not stream._rest.any()


@pytest.mark.parametrize("rate", [7_999, 192_001, 0, -1])
def test_no_stream_of_another_rate(rate: int) -> None:
    """It has no filter."""
    with pytest.raises(ValueError, match="samples a second"):
        Resampler(rate)


def _flac_with(at: int, value: int) -> bytes:
    found = bytearray(flac_of(tone(RATE), RATE))
    found[at] = value
    return bytes(found)


GOOD = packed(tone(RATE), 16)
REFUSED = {
    "nothing": (b"", "neither WAV nor FLAC"),
    "text": (b"hello, world, this is text", "neither WAV nor FLAC"),
    "only a head": (b"RIFF\x04\0\0\0WAVE", "how it is written"),
    "no sound": (wav(chunk(b"fmt ", form(PCM, 1, RATE, 16))), "no recording"),
    "no form": (wav(chunk(b"data", GOOD)), "how it is written"),
    "two forms": (
        wav(chunk(b"fmt ", form(PCM, 1, RATE, 16)), chunk(b"fmt ", form(PCM, 2, RATE, 16)), chunk(b"data", GOOD)),
        "twice",
    ),
    "two sounds": (
        wav(chunk(b"fmt ", form(PCM, 1, RATE, 16)), chunk(b"data", GOOD), chunk(b"data", GOOD)),
        "two recordings",
    ),
    "cut": (wav_of(GOOD)[:-1], "shorter than its header"),
    "a chunk beyond the end": (
        wav(chunk(b"fmt ", form(PCM, 1, RATE, 16)), b"data" + struct.pack("<I", 1 << 31) + GOOD),
        "longer than the file",
    ),
    "half a frame": (wav_of(GOOD[:-1]), "contradicts itself"),
    "a wrong block": (
        wav(chunk(b"fmt ", struct.pack("<HHIIHH", PCM, 1, RATE, RATE * 2, 4, 16)), chunk(b"data", GOOD)),
        "contradicts itself",
    ),
    "compressed": (wav_of(GOOD, 0x55), "compressed"),
    "extensible, compressed": (
        wav(
            chunk(b"fmt ", form(EXTENSIBLE, 1, RATE, 16)[:24] + struct.pack("<H", 0x55) + GUID_REST),
            chunk(b"data", GOOD),
        ),
        "compressed",
    ),
    "12 bits": (wav_of(GOOD, bits=12), "12 bits"),
    "no channel": (wav_of(GOOD, channels=0), "contradicts itself"),
    "nine channels": (wav_of(GOOD[: len(GOOD) // 18 * 18], channels=9), "9 channels"),
    "a slow rate": (wav_of(GOOD, rate=4_000), "4000 samples"),
    "a fast rate": (wav_of(GOOD, rate=400_000), "400000 samples"),
    "too short": (wav_of(GOOD[: RATE - 100]), "lasts"),
    "too long": (wav_of(bytes(2 * (MAX_SAMPLES + 1))), "lasts"),
    "not a number": (wav_of(np.full(RATE, np.nan, "<f4").tobytes(), FLOAT, bits=32), "no number"),
    "infinite": (wav_of(np.full(RATE, np.inf, "<f8").tobytes(), FLOAT, bits=64), "no number"),
    "FLAC, cut": (flac_of(tone(RATE), RATE)[:-400], "damaged"),
    "FLAC, only a head": (flac_of(tone(RATE), RATE)[:40], "what FLAC says"),
    "FLAC without its first block": (b"fLaC" + bytes([4]) + bytes(60), "what FLAC says"),
    "FLAC of another rate than it says": (_flac_with(18, 0x0F), "changes|damaged|samples|lasts"),
    "FLAC longer than it says": (_flac_with(25, 0), "longer|damaged"),
    "FLAC as a stream": (
        bytes((found := bytearray(flac_of(tone(RATE), RATE))).__setitem__(slice(22, 26), b"\0\0\0\0") or found),
        "how long",
    ),
}


@pytest.mark.parametrize(("data", "why"), list(REFUSED.values()), ids=list(REFUSED))
def test_what_is_not_right_is_refused_in_words(data: bytes, why: str) -> None:
    """Whole, with a sentence that says what is wrong."""
    with pytest.raises(RecordingRefused, match=why) as refusal:
        read_recording(data)
    assert str(refusal.value).endswith(".")


def test_a_huge_file_is_refused_before_it_is_read() -> None:
    """By its size alone."""
    with pytest.raises(RecordingRefused, match="MiB"):
        read_recording(bytearray(MAX_BYTES + 1))


@settings(max_examples=150, deadline=None)
@given(st.one_of(
    st.binary(max_size=200),
    st.binary(max_size=120).map(lambda rest: wav(chunk(b"fmt ", rest[:40]), chunk(b"data", rest))),
    st.binary(max_size=200).map(lambda rest: b"fLaC" + rest),
))  # fmt: skip
def test_no_bytes_do_harm(data: bytes) -> None:
    """They are read or refused, and nothing else happens."""
    try:
        found = read_recording(data)
    except RecordingRefused:
        return
    assert np.isfinite(found).all()


@settings(max_examples=25, deadline=None)
@given(at=st.integers(0, 40), value=st.integers(0, 255))
def test_no_changed_header_of_flac_does_harm(at: int, value: int) -> None:
    """A byte of its first 41 is another one: it is read or refused."""
    try:
        found = read_recording(_flac_with(at, value))
    except RecordingRefused:
        return
    assert len(found) <= MAX_SAMPLES


def test_the_longest_recording_of_any_rate_fits_the_matrix() -> None:
    """Its last sample is still one that the service takes."""
    frames = int(LONGEST_S * 44_100)
    found = read_recording(wav_of(bytes(2 * frames), rate=44_100))
    assert read_matrix(npy_bytes(matrix_of(found))).values.shape[0] <= 3_000


def test_what_was_read_may_be_wiped() -> None:
    """It is memory of its own, in the file's rate too."""
    data = wav_of(tone(RATE).astype("<f4").tobytes(), FLOAT, bits=32)
    found = read_recording(data)
    found[:] = 0
    assert read_recording(data).any()


FORMS = [(PCM, 8), (PCM, 16), (PCM, 24), (PCM, 32), (FLOAT, 32), (FLOAT, 64), (EXTENSIBLE, 16), (EXTENSIBLE, 24)]


@settings(max_examples=60, deadline=None)
@given(
    form_of=st.sampled_from(FORMS),
    channels=st.integers(1, 8),
    frames=st.integers(16_000, 16_400),
    seed=st.integers(0, 2**32 - 1),
    others=st.lists(st.tuples(st.sampled_from([b"LIST", b"cue ", b"id3 "]), st.binary(max_size=9)), max_size=4),
)
def test_any_form_of_wav_is_read_as_the_mean_of_its_channels(
    form_of: tuple[int, int], channels: int, frames: int, seed: int, others: list[tuple[bytes, bytes]]
) -> None:
    """Whatever the width of its samples, the number of its channels and the chunks before and behind them."""
    kind, bits = form_of
    sound = np.random.default_rng(seed).uniform(-1, 1, frames * channels).astype(np.float32)
    data = sound.astype(f"<f{bits // 8}").tobytes() if kind == FLOAT else packed(sound, bits)
    strange = [chunk(name, content) for name, content in others]
    half = len(strange) // 2
    file = wav(*strange[:half], chunk(b"fmt ", form(kind, channels, RATE, bits)), chunk(b"data", data), *strange[half:])
    found = read_recording(file)
    assert found.shape == (frames,)
    step = 0.0 if kind == FLOAT else 2.0 / (2 ** (bits - 1) - 1)
    assert np.abs(found - sound.reshape(frames, channels).mean(axis=1)).max() <= step + 1e-6


SOUND = wav_of(packed(tone(RATE, seconds=1.0), 16))
"""A whole file, small enough to be changed a hundred times."""
LOSSLESS = flac_of(tone(RATE, seconds=1.0), RATE)


@settings(max_examples=300, deadline=None)
@given(
    file=st.sampled_from([SOUND, LOSSLESS]),
    changes=st.lists(st.tuples(st.integers(0, 120), st.integers(0, 255)), max_size=4),
    begin=st.integers(0, 3),
    end=st.integers(0, 3),
)
def test_no_changed_file_does_harm(file: bytes, changes: list[tuple[int, int]], begin: int, end: int) -> None:
    """Bytes of its head are others, and it is cut at both ends: it is read as a recording of a length that is checked
    at a time, or refused in words."""
    changed = bytearray(file)
    for at, value in changes:
        changed[at] = value
    try:
        found = read_recording(bytes(changed[begin : len(changed) - end]))
    except RecordingRefused:
        return
    assert RATE - 1 <= len(found) <= MAX_SAMPLES + 1
    assert np.isfinite(found).all()
    assert np.abs(found).max() <= 1.2


@settings(max_examples=60, deadline=None)
@given(at=st.integers(42, len(LOSSLESS) - 1), value=st.integers(0, 255))
def test_no_changed_sound_of_flac_does_harm(at: int, value: int) -> None:
    """A byte of its frames is another one: their checksums tell, or it is the same sound."""
    changed = bytearray(LOSSLESS)
    changed[at] = value
    try:
        found = read_recording(bytes(changed))
    except RecordingRefused:
        return
    assert len(found) == RATE
    assert np.isfinite(found).all()


@pytest.mark.parametrize(("chunks", "read"), [(1_000, True), (1_001, False)])
def test_a_file_of_many_chunks_is_not_walked_for_ever(chunks: int, read: bool) -> None:
    """A thousand, its form and its sound among them."""
    empty = [chunk(b"junk", b"")] * (chunks - 2)
    file = wav(*empty, chunk(b"fmt ", form(PCM, 1, RATE, 16)), chunk(b"data", GOOD))
    if read:
        assert len(read_recording(file)) == 1.5 * RATE
    else:
        with pytest.raises(RecordingRefused, match="chunks"):
            read_recording(file)


@pytest.mark.parametrize("rate", [8_000, 11_025, 44_100, 50_021])
def test_the_low_pass_is_that_of_the_definition(rate: int) -> None:
    """A sinc to 0.95 of the lower Nyquist frequency, 48 of its zeros on each side under a Kaiser window of 9, each
    output with taps whose sum is 1: summed up for some outputs, in double precision."""
    sound = np.random.default_rng(7).uniform(-1, 1, 4_000).astype(np.float32)
    cutoff = 0.95 * min(1.0, RATE / rate)
    half = math.ceil(48 / cutoff)
    found = resample(sound, rate)
    for number in (0, 1, 77, len(found) // 2, len(found) - 1):
        centre = number * rate / RATE
        near = np.arange(math.floor(centre) - half + 1, math.floor(centre) + half + 1)
        away = near - centre
        taps = np.sinc(away * cutoff) * np.i0(9 * np.sqrt(np.clip(1 - (away / half) ** 2, 0, None)))
        inside = (near >= 0) & (near < len(sound))
        expected = float(sound[near[inside]] @ (taps / taps.sum())[inside])
        assert found[number] == pytest.approx(expected, abs=3e-6)
