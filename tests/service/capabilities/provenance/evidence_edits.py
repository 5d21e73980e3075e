"""Seeded edits of evidence: what a forger might change in a seal or a bundle, each under a name."""

from __future__ import annotations

import base64
import copy
import dataclasses
import hashlib
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from app.ledger import bundle
from app.ledger.c2sp.proof import consensus_seal
from app.ledger.tree.leaf import canonical, knot_id_of, leaf_hash


@dataclass(frozen=True)
class Edit:
    """A file that was edited, and who must refuse it; under ``alike`` both must judge the same."""

    name: str
    data: bytes
    refused: Literal["by both", "by the full one", "alike"] = "by both"


def edits(seals: list[dict[str, Any]], zips: list[bytes], *, seed: int, count: int) -> Iterator[Edit]:
    """``count`` edits of good seals and good bundles; what an edit left as it was is drawn again."""
    dice = random.Random(seed)
    made = 0
    while made < count:
        kind = dice.choice(_KINDS)
        good: Any = dice.choice(zips) if kind in _OF_BUNDLES else dice.choice(seals)
        found = kind(copy.deepcopy(good), dice)
        if found.data == good or (isinstance(good, dict) and _read(found.data) == good):
            continue
        if isinstance(good, dict) and _without_tokens(_read(found.data)) == _without_tokens(good):
            # What is still a token over the same imprint, the verifier in one file takes: it does not judge its signer.
            found = dataclasses.replace(found, refused="by the full one")
        if isinstance(good, dict) and _fewer_outside(_read(found.data), good):
            # They are extras: a seal without them says less, and what it says is true.
            found = dataclasses.replace(found, refused="alike")
        made += 1
        yield found


def _read(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return None


def _without_tokens(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_tokens(member) for name, member in value.items() if name != "timestamp_token"}
    return [_without_tokens(member) for member in value] if isinstance(value, list) else value


def _fewer_outside(value: Any, good: dict[str, Any]) -> bool:
    """Whether all that is changed is that outside time stamps are gone."""
    if not isinstance(value, dict) or not isinstance(value.get("leaves"), list):
        return False
    value = copy.deepcopy(value)
    for found, leaf in zip(value["leaves"], good["leaves"], strict=False):
        stamps = leaf.get("outside_stamps", [])
        if isinstance(found, dict) and found.get("outside_stamps", []) in ([], stamps[:-1], stamps[1:]):
            found.pop("outside_stamps", None)
            found |= {"outside_stamps": stamps} if stamps else {}
    return bool(value == good)


# --- one member of the JSON, whichever it is ---


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield from _places(member, (*at, name))


def _member(seal: dict[str, Any], dice: random.Random) -> Edit:
    *way, name = dice.choice(list(_places(seal)))
    holder: Any = seal
    for step in way:
        holder = holder[step]
    match dice.choice(("value", "value", "value", "null", "gone", "type", "more")):
        case "value":
            holder[name] = _other(holder[name], dice)
        case "null":
            holder[name] = None
        case "gone":
            del holder[name]
        case "type":
            holder[name] = dice.choice(([], {}, 1, "", True, -1, 1.5))
        case "more" if isinstance(holder, dict):
            holder[f"{name}_"] = holder[name]
        case "more":
            holder.append(holder[name])
    where = ".".join("leaves[]" if isinstance(step, int) else str(step) for step in (*way, name))
    return Edit(f"member {where}", json.dumps(seal).encode())


def _other(value: Any, dice: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + dice.choice((-1, 1, 2**31))
    if isinstance(value, str):
        at, letter = dice.randrange(len(value) + 1), dice.choice("0aZ=+/ \n\t\u2014\x00\ud800")
        return value[:at] + dice.choice((letter, "", value[at : at + 1] * 2)) + value[at + 1 :]
    if isinstance(value, list):
        return dice.choice((value[:-1], value * 2, value[::-1], value[1:]))
    return {}


def _text(seal: dict[str, Any], dice: random.Random) -> Edit:
    """Bytes of the file itself."""
    data = bytearray(json.dumps(seal, indent=1).encode())
    at = dice.randrange(len(data))
    data[at : at + dice.choice((0, 1))] = dice.randbytes(1)
    return Edit("a byte of the JSON", bytes(data))


def _twice(seal: dict[str, Any], dice: random.Random) -> Edit:
    """A member twice: some readers take the first, some the last."""
    name = dice.choice(sorted(seal))
    text = json.dumps({name: _other(copy.deepcopy(seal[name]), dice)})[:-1] + "," + json.dumps(seal)[1:]
    return Edit("a member twice", text.encode())


# --- regions of the proof, with canonical base64, and with a consensus seal that fits again ---


def _proof(seal: dict[str, Any], dice: random.Random) -> Edit:
    leaf = dice.randrange(len(seal["leaves"]))
    lines = seal["leaves"][leaf]["seal_proof"].split("\n")
    at = dice.randrange(len(lines) - 1)
    way = dice.choice(("bits", "bits", "gone", "twice", "swapped", "letter"))
    region = _region(lines, at)
    if way == "bits":
        lines[at] = _turned(lines[at], dice)
    elif way == "gone":
        del lines[at]
    elif way == "twice":
        lines.insert(at, lines[at])
    elif way == "swapped":
        lines[at], lines[at - 1] = lines[at - 1], lines[at]
    else:
        lines[at] = _other(lines[at], random.Random(dice.random()))
    proof = "\n".join(lines)
    fits = dice.random() < 0.7
    _put(seal, leaf, "seal_proof", proof)
    if fits:
        # The seal fits again: only what is signed can tell. A witness that the quorum does not need may be left out.
        _put(seal, leaf, "consensus_seal", consensus_seal(proof.encode(errors="replace")))
    return Edit(
        f"proof: {region} {way}{', seal recomputed' if fits else ''}",
        json.dumps(seal).encode(),
        refused="alike" if fits else "by both",
    )


def _region(lines: list[str], at: int) -> str:
    note = lines.index("")
    if at < 2:
        return ("head", "index")[at]
    if at <= note:
        return "path" if at < note else "end of path"
    if at <= note + 3:
        return ("origin", "size", "root")[at - note - 1]
    return "end of text" if at == note + 4 else "signature"


def _turned(line: str, dice: random.Random) -> str:
    """One bit of what the line's last word codes in base64; the first one's letter where it codes nothing."""
    *words, coded = line.split(" ")
    try:
        raw = bytearray(base64.b64decode(coded, validate=True))
    except ValueError:
        raw = bytearray()
    if not raw or coded.isdigit():
        return _other(line, dice)
    raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
    return " ".join((*words, base64.b64encode(raw).decode()))


def _put(seal: dict[str, Any], leaf: int, name: str, value: Any) -> None:
    seal["leaves"][leaf][name] = value
    if leaf == 0:
        seal[name] = copy.deepcopy(value)


# --- a forger who makes everything fit that he can compute ---


def _content(seal: dict[str, Any], dice: random.Random) -> Edit:
    """Another content with a leaf that commits to it, and the names that follow from that leaf."""
    leaf = dice.randrange(len(seal["leaves"]))
    opening = dict(seal["leaves"][leaf]["opening"])
    said = json.loads(base64.b64decode(opening["payload"]))
    node = f"node_{dice.randrange(999)}"
    said["node_id"] = node
    payload = canonical(said)
    opening["payload"] = base64.b64encode(payload).decode()
    header = json.loads(seal["leaves"][leaf]["leaf"])
    header["body"] = hashlib.sha256(base64.b64decode(opening["salt"]) + payload).hexdigest()
    _put(seal, leaf, "opening", opening)
    _put(seal, leaf, "leaf", canonical(header).decode())
    seal["node_id"] = node
    if leaf == 0:
        seal["knot_id"] = knot_id_of(leaf_hash(canonical(header)))
    return Edit("content, leaf and names fit", json.dumps(seal).encode())


def _header(seal: dict[str, Any], dice: random.Random) -> Edit:
    """A member of a leaf's header, and what the seal says of it."""
    leaf = dice.randrange(len(seal["leaves"]))
    header = json.loads(seal["leaves"][leaf]["leaf"])
    name = dice.choice(sorted(header))
    header[name] = "VERIFIED_DIGITAL_HUMAN" if name == "outcome" else _other(header[name], dice)
    try:
        text = canonical(header).decode()
    except ValueError:
        text = json.dumps(header)
    _put(seal, leaf, "leaf", text)
    if name == "outcome":
        seal["leaves"][leaf]["standing"] = header[name]
        if leaf == len(seal["leaves"]) - 1:
            seal["standing"] = header[name]
    if name == "seq":
        _put(seal, leaf, "log_index", header[name])
    return Edit(f"header {name} and what follows", json.dumps(seal).encode())


def _time(seal: dict[str, Any], dice: random.Random) -> Edit:
    """Another time of a leaf, in the same form."""
    leaf = dice.randrange(len(seal["leaves"]))
    _put(seal, leaf, "timestamp", f"2026-{dice.randrange(1, 10):02d}-11T00:00:00.000000Z")
    return Edit("timestamp in the same form", json.dumps(seal).encode())


def _withheld(seal: dict[str, Any], dice: random.Random) -> Edit:
    """The withdrawal kept back, with the standing as it was; it cannot be seen, so both must take it. Or a content
    kept back, which can."""
    if len(seal["leaves"]) > 1 and dice.random() < 0.5:
        del seal["leaves"][1:]
        seal["standing"] = seal["leaves"][0]["standing"]
        return Edit("later statements withheld", json.dumps(seal).encode(), refused="alike")
    _put(seal, dice.randrange(len(seal["leaves"])), "opening", {"salt": None, "payload": None})
    return Edit("content withheld", json.dumps(seal).encode())


def _token(seal: dict[str, Any], dice: random.Random) -> Edit:
    """A bit of a time stamp."""
    leaf = dice.randrange(len(seal["leaves"]))
    raw = bytearray(base64.b64decode(seal["leaves"][leaf]["timestamp_token"]))
    raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
    _put(seal, leaf, "timestamp_token", base64.b64encode(raw).decode())
    return Edit("a bit of the time stamp", json.dumps(seal).encode())


# --- bundles ---


def _byte(data: bytes, dice: random.Random) -> Edit:
    at, width = dice.randrange(len(data)), dice.choice((0, 1, 4))
    return Edit("zip: bytes", data[:at] + dice.randbytes(dice.choice((0, 1, 4))) + data[at + width :])


def _file(data: bytes, dice: random.Random) -> Edit:
    """A file changed, gone, added or swapped, and packed again as the site would."""
    files = bundle.unpack(data)
    name, other = dice.sample(sorted(files), 2)
    way = dice.choice(("changed", "gone", "added", "swapped"))
    if way == "changed":
        changed = bytearray(files[name])
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
        files[name] = bytes(changed)
    elif way == "gone":
        del files[name]
    elif way == "added":
        files[f"{name}.more"] = files[name]
    else:
        files[name], files[other] = files[other], files[name]
    return Edit(f"zip: {name} {way}", bundle.pack(files))


def _named(data: bytes, dice: random.Random) -> Edit:
    """A file changed, and the manifest changed with it: the signature must tell."""
    files = bundle.unpack(data)
    manifest = json.loads(files["manifest.json"])
    name = dice.choice(sorted(manifest["files"]))
    files[name] += b"\n"
    manifest["files"][name] = hashlib.sha256(files[name]).hexdigest()
    files["manifest.json"] = canonical(manifest)
    return Edit(f"zip: {name} and its manifest", bundle.pack(files))


def _unsigned(data: bytes, dice: random.Random) -> Edit:
    """A bit of one of the signature's three parts, in canonical base64url."""
    files = bundle.unpack(data)
    jws = json.loads(files["manifest.jws"])
    name = dice.choice(("payload", "protected", "signature"))
    raw = bytearray(base64.urlsafe_b64decode(jws[name] + "=" * (-len(jws[name]) % 4)))
    raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
    jws[name] = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
    files["manifest.jws"] = json.dumps(jws).encode()
    return Edit(f"zip: a bit of the signature's {name}", bundle.pack(files))


_OF_BUNDLES: tuple[Callable[[Any, random.Random], Edit], ...] = (_byte, _file, _named, _unsigned)
_KINDS: tuple[Callable[[Any, random.Random], Edit], ...] = (
    _member,
    _member,
    _member,
    _text,
    _twice,
    _proof,
    _proof,
    _content,
    _header,
    _time,
    _withheld,
    _token,
    *_OF_BUNDLES,
)
