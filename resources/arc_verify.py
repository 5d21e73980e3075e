#!/usr/bin/env python3
"""Verifies what an ARC Console site gave out, offline, with nothing but Python 3.8 and this one file.

    python3 arc_verify.py FILE --policy POLICY

FILE is a knot seal (JSON, as the site's API gives it) or an evidence bundle (zip) of a seal, a burn, a strike or chosen
entries of the audit log. POLICY is a C2SP tlog-policy file with the keys of the site's logs and of their witnesses. Get
it from the site or from an auditor once, keep it, and never take it from the one who shows you FILE. Exit code: 0 if
everything that is checked is good, 1 otherwise.

For each statement (leaf) of a seal:

1. seal     consensus_seal = "0x" + SHA-256("arc-knot-seal/v1\\n" || proof)
2. leaf     leaf hash = SHA-256(0x00 || header); header.body = SHA-256(salt || payload); the knot is named by its first
            leaf's hash, and every later leaf names that hash
3. quorum   the log signed the checkpoint and enough witnesses of the policy cosigned it (C2SP tlog-policy)
4. path     the leaf is in the tree that the checkpoint signs (RFC 9162, 2.1.3.2)
5. stamp    the time stamp (RFC 3161) is of this checkpoint: its imprint = SHA-256(checkpoint text)
            outside stamps are of later checkpoints that continue this one (RFC 9162, 2.1.4.2)

For a burn: steps 2 to 5 for each of its leaves, that they commit to its segments of the revocation log, and that those
are one chain. For chosen entries: steps 2 to 5 for each. That nothing stands between them, nobody says.

What it does not judge: who signed the time stamp, whether a bundle's manifest was signed by the site (it must be
signed, by the key it carries), and the C2PA manifests of a burn. For that use `arc-console verify`, or `openssl ts
-verify` with the site's root.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import struct
import sys
import zlib
from datetime import datetime, timedelta, timezone

FILE_LIMIT = 256 << 20


class Bad(Exception):
    """Something is not as it must be; the text is a sentence for people."""


def need(condition, sentence):
    """``Bad`` unless ``condition``."""
    if not condition:
        raise Bad(sentence)


# --- Ed25519 (RFC 8032, 5.1.7; no cofactor, canonical encodings alone) ---

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
IDENTITY = (0, 1, 1, 0)


def point(data):
    """The point of 32 bytes as (X, Y, Z, T), or None."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def add(p, q):
    """The sum of two points; complete, so it doubles as well."""
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def ed25519(public, message, signature):
    """Whether ``signature`` (64 bytes) over ``message`` is valid under ``public`` (32 bytes)."""
    key = point(public) if len(public) == 32 else None
    if key is None or len(signature) != 64:
        return False
    s = int.from_bytes(signature[32:], "little")
    if s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    # R = [s]B - [k]A, both scalars bit by bit.
    minus = (P - key[0], key[1], 1, P - key[3])
    table = (None, BASE, minus, add(BASE, minus))
    found = IDENTITY
    for bit in reversed(range(253)):
        found = add(found, found)
        addend = table[(s >> bit & 1) | (k >> bit & 1) << 1]
        if addend:
            found = add(found, addend)
    inverse = pow(found[2], P - 2, P)
    x, y = found[0] * inverse % P, found[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]


# --- ML-DSA-44 (FIPS 204, algorithms 3 and 8; empty context) ---

Q = 8380417
GAMMA1, GAMMA2 = 1 << 17, (Q - 1) // 88
BETA, OMEGA, TAU = 78, 80, 39
ZETAS = [pow(1753, int(f"{i:08b}"[::-1], 2), Q) for i in range(256)]


def ntt(w):
    """Algorithm 41."""
    w, m, length = list(w), 0, 128
    while length:
        for start in range(0, 256, 2 * length):
            m += 1
            zeta, middle = ZETAS[m], start + length
            low = w[start:middle]
            high = [zeta * x % Q for x in w[middle : middle + length]]
            w[start:middle] = [x + y for x, y in zip(low, high)]
            w[middle : middle + length] = [x - y for x, y in zip(low, high)]
        length >>= 1
    return w


def ntt_inverse(w):
    """Algorithm 42."""
    w, m, length = list(w), 256, 1
    while length < 256:
        for start in range(0, 256, 2 * length):
            m -= 1
            zeta, middle = ZETAS[m], start + length
            low, high = w[start:middle], w[middle : middle + length]
            w[start:middle] = [(x + y) % Q for x, y in zip(low, high)]
            w[middle : middle + length] = [zeta * (y - x) % Q for x, y in zip(low, high)]
        length <<= 1
    return [8347681 * x % Q for x in w]


def unpack(data, bits):
    """Little-endian numbers of ``bits`` bits."""
    number, mask = int.from_bytes(data, "little"), (1 << bits) - 1
    return [number >> at & mask for at in range(0, 8 * len(data), bits)]


def matrix_entry(seed):
    """Algorithm 30. 280 draws for 256 numbers: that they do not suffice has a chance below 2^-150."""
    stream = hashlib.shake_128(seed).digest(840)
    drawn = (stream[i] | stream[i + 1] << 8 | (stream[i + 2] & 127) << 16 for i in range(0, 840, 3))
    return [value for value in drawn if value < Q][:256]


def challenge(seed):
    """Algorithm 29."""
    stream = hashlib.shake_256(seed).digest(1024)
    signs, at, c = int.from_bytes(stream[:8], "little"), 8, [0] * 256
    for i in range(256 - TAU, 256):
        while stream[at] > i:
            at += 1
        c[i] = c[stream[at]]
        c[stream[at]] = -1 if signs & 1 else 1
        signs, at = signs >> 1, at + 1
    return c


def rising(values):
    """Whether each value is above the one before."""
    return all(x < y for x, y in zip(values, values[1:]))


def hints(data):
    """Algorithm 21: a set of positions for each of the four rows, or None."""
    rows, at = [], 0
    for end in data[OMEGA:]:
        row = data[at:end]
        if not at <= end <= OMEGA or not rising(row):
            return None
        rows.append(set(row))
        at = end
    return None if any(data[at:OMEGA]) else rows


def rounded(value, hint):
    """Algorithms 36 and 40: the high part of ``value``, corrected by its hint."""
    low = value % (2 * GAMMA2)
    if low > GAMMA2:
        low -= 2 * GAMMA2
    if value - low == Q - 1:
        high, low = 0, low - 1
    else:
        high = (value - low) // (2 * GAMMA2)
    if hint:
        high += 1 if low > 0 else -1
    return high % 44


def mldsa44(public, message, signature):
    """Whether ``signature`` (2,420 bytes) over ``message`` is valid under ``public`` (1,312 bytes)."""
    if len(public) != 1312 or len(signature) != 2420:
        return False
    z = [[GAMMA1 - x for x in unpack(signature[32 + 576 * i : 608 + 576 * i], 18)] for i in range(4)]
    hint = hints(signature[2336:])
    if hint is None or any(abs(x) >= GAMMA1 - BETA for row in z for x in row):
        return False
    digest = hashlib.shake_256(hashlib.shake_256(public).digest(64) + b"\0\0" + message).digest(64)
    c, z = ntt(challenge(signature[:32])), [ntt(row) for row in z]
    packed = b""
    for r in range(4):
        t = ntt([x << 13 for x in unpack(public[32 + 320 * r : 352 + 320 * r], 10)])
        row = [-x * y for x, y in zip(c, t)]
        for s in range(4):
            row = [x + y * v for x, y, v in zip(row, matrix_entry(public[:32] + bytes((s, r))), z[s])]
        high = [rounded(x, i in hint[r]) for i, x in enumerate(ntt_inverse([x % Q for x in row]))]
        packed += sum(x << 6 * i for i, x in enumerate(high)).to_bytes(192, "little")
    return hashlib.shake_256(digest + packed).digest(32) == signature[:32]


# --- texts: base64, numbers, JSON, DER ---


def unbase64(text, what):
    """The bytes of canonical base64: one value has one text."""
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        raw = None
    need(raw is not None and base64.b64encode(raw).decode() == text, what + " is not canonical base64.")
    return raw


def unbase64url(text, what):
    """The same of base64url without padding (RFC 7515)."""
    need(isinstance(text, str) and re.fullmatch("[A-Za-z0-9_-]*", text), what + " is not base64url.")
    padded = text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4)
    return unbase64(padded, what)


def decimal(text, what):
    """A number without leading zeros, below 10^19."""
    need(re.fullmatch("0|[1-9][0-9]{0,18}", text), what + " is no decimal number.")
    return int(text)


def unjson(data, what):
    """An object in strict JSON: no member twice, no NaN, only whole Unicode."""

    def members(pairs):
        found = dict(pairs)
        need(len(found) == len(pairs), what + " has a member twice.")
        return found

    def refuse(_):
        raise Bad(what + " has a number that is none.")

    try:
        text = data.decode() if isinstance(data, bytes) else data
        value = json.loads(text, object_pairs_hook=members, parse_constant=refuse)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Bad(what + " is not JSON.") from None
    need(isinstance(value, dict), what + " is no JSON object.")
    return value


def canonical(value):
    """RFC 8785 of an object with ASCII names, strings and integers."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def der(data):
    """The elements of DER: (tag, content) each."""
    found, at = [], 0
    while at < len(data):
        need(at + 2 <= len(data), "DER is cut off.")
        tag, length, at = data[at], data[at + 1], at + 2
        if length > 0x7F:
            count = length & 0x7F
            length = int.from_bytes(data[at : at + count], "big")
            at += count
            need(1 <= count <= 4 and length > 0x7F and length >> 8 * (count - 1), "A length in DER is not minimal.")
        need(at + length <= len(data), "DER is cut off.")
        found.append((tag, data[at : at + length]))
        at += length
    return found


def inside(elements, index, tag):
    """The content of one of ``elements``, which must have ``tag``."""
    need(index < len(elements) and elements[index][0] == tag, "DER has another structure.")
    return elements[index][1]


# --- keys, policies, notes (C2SP signed-note, tlog-checkpoint, tlog-cosignature, tlog-policy) ---

LOG, COSIGNATURE, MLDSA = 0x01, 0x04, 0x06
PUBLIC = {LOG: 32, COSIGNATURE: 32, MLDSA: 1312}


def name_ok(name):
    """Whether a key may have this name."""
    return bool(name) and "+" not in name and not any(char.isspace() for char in name)


class Key:
    """The public key of a vkey: ``name+hex(key id)+base64(type || key)``."""

    def __init__(self, vkey):
        parts = vkey.split("+", 2)
        need(len(parts) == 3 and name_ok(parts[0]), "a verifier key has no name.")
        raw = unbase64(parts[2], "a verifier key")
        self.name, self.kind, self.public = parts[0], raw[0] if raw else 0, raw[1:]
        need(len(self.public) == PUBLIC.get(self.kind), "a verifier key is of no known type.")
        self.id = hashlib.sha256(self.name.encode() + b"\n" + raw).digest()[:4]
        need(self.id.hex() == parts[1], "a verifier key's id does not fit its key.")

    def time(self, note):
        """When the key signed the note (Unix seconds; 0 for type 0x01, which tells no time); None if it did not."""
        for name, key_id, signature in note.signatures:
            if name == self.name and key_id == self.id:
                found = self._time(note, signature)
                need(found is not None, f"A signature of {name} is wrong.")
                return found
        return None

    def _time(self, note, signature):
        if self.kind == LOG:
            return 0 if ed25519(self.public, note.text.encode(), signature) else None
        time = int.from_bytes(signature[:8], "big")
        if time >= 2**63:
            return None
        if self.kind == COSIGNATURE:
            message = f"cosignature/v1\ntime {time}\n{note.text}".encode()
            return time if ed25519(self.public, message, signature[8:]) else None
        name, origin = self.name.encode(), note.origin.encode()
        if len(name) > 255 or len(origin) > 255:
            return None
        # cosigned_message of tlog-cosignature: the subtree from 0 to the whole size.
        message = b"subtree/v1\n\0" + bytes((len(name),)) + name + struct.pack(">Q", time)
        message += bytes((len(origin),)) + origin + struct.pack(">QQ", 0, note.size) + note.root
        return time if mldsa44(self.public, message, signature[8:]) else None


class Policy:
    """Whom to believe: logs, witnesses, groups of them, and the quorum."""

    def __init__(self, data):
        self.logs, self.witnesses, self.groups, self.quorum = [], [], [], None
        self._names, self._grouped, self._seen = set(), set(), set()
        need(not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", data), "The policy has control characters.")
        need(data.endswith(b"\n"), "The policy does not end in a newline.")
        for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
            words = [word for word in re.split("[ \t]", line) if word]
            if words and not words[0].startswith("#"):
                try:
                    self._take(words)
                except Bad as error:
                    raise Bad(f"Line {number} of the policy: {error}") from None
        need(self.quorum, "The policy has no quorum line.")
        need(self.quorum != "none", "The policy has the quorum none: a seal that nobody witnessed proves nothing.")
        self.production = any(not key.name.startswith("training-") for key in self.logs)

    def _take(self, words):
        if words[0] == "log" and len(words) in (2, 3):
            self.logs.append(self._key("log", words[1]))
        elif words[0] == "witness" and len(words) in (3, 4):
            key = self._key("witness", words[2])
            need(key.kind != LOG, "a witness needs a cosignature key (type 0x04 or 0x06).")
            self._define(words[1])
            self.witnesses.append((words[1], key))
        elif words[0] == "group" and len(words) > 3:
            self._group(words[1], words[2], words[3:])
        elif words[0] == "quorum" and len(words) == 2:
            need(self.quorum is None, "there is a second quorum line.")
            need(words[1] == "none" or words[1] in self._names, "the quorum's name is not defined before it.")
            self.quorum = words[1]
        else:
            raise Bad("no log, witness, group or quorum line.")

    def _key(self, line, vkey):
        key = Key(vkey)
        need((line, key.public) not in self._seen, "the same public key stands in two lines.")
        self._seen.add((line, key.public))
        return key

    def _group(self, name, threshold, members):
        for member in members:
            need(member in self._names, "a group's member is not defined before it.")
            need(member not in self._grouped, "a name is the member of two groups, or twice of one.")
            self._grouped.add(member)
        if threshold in ("any", "all"):
            needed = 1 if threshold == "any" else len(members)
        else:
            need(re.fullmatch("[1-9][0-9]{0,2}", threshold), "a group's threshold is any, all or a number.")
            needed = int(threshold)
        need(needed <= len(members), "a group's threshold is beyond its members.")
        self._define(name)
        self.groups.append((name, needed, members))

    def _define(self, name):
        need(name != "none" and name not in self._names, "a name is defined twice, or is none.")
        self._names.add(name)

    def _form(self, note):
        """That the lines are those of a frozen note, in its order: the log's, then the witnesses' in the policy's
        order, no key twice, nobody else. Beside a line of a named key may stand another of its name (the other kind of
        key, the log's next pair), but for a witness of which the policy names both kinds."""
        places = {(key.name, key.id): 0 for key in self.logs if key.name == note.origin}
        places.update({(key.name, key.id): at for at, (_, key) in enumerate(self.witnesses, 1)})
        of_name = {name: place for (name, _), place in places.items()}
        pinned = [key.name for _, key in self.witnesses]
        known = [name for name, key_id, _ in note.signatures if (name, key_id) in places]
        room = {name: 0 if pinned.count(name) > 1 else known.count(name) for name in known}
        last, seen = 0, set()
        for name, key_id, _ in note.signatures:
            if (name, key_id) not in places:
                room[name] = room.get(name, 0) - 1
                need(room[name] >= 0, f"The checkpoint has a signature line of nobody in the policy ({name}).")
            place = places.get((name, key_id), of_name.get(name, 0))
            fits = (name, key_id) not in seen and place >= last
            need(fits, "The checkpoint's signature lines are not in their order, or one is there twice.")
            seen.add((name, key_id))
            last = place

    def met_at(self, note):
        """The least time (Unix seconds) by which enough witnesses had cosigned the note, which a log must have
        signed."""
        logs = [key for key in self.logs if key.name == note.origin]
        need(logs, f"The policy names no log {note.origin}.")
        need([key for key in logs if key.time(note) is not None], "The log's own signature is missing.")
        self._form(note)
        times = {name: time for name, key in self.witnesses for time in [key.time(note)] if time is not None}
        for name, needed, members in self.groups:
            own = sorted(times[member] for member in members if member in times)
            if len(own) >= needed:
                times[name] = own[needed - 1]
        need(self.quorum in times, "Too few of the policy's witnesses have cosigned the checkpoint.")
        return times[self.quorum]


def checkpoint(text):
    """Origin, size and root of a checkpoint's text."""
    body = text.split("\n")
    need(len(body) >= 4 and all(body[:1] + body[3:-1]) and not body[-1], "The note is no checkpoint.")
    root = unbase64(body[2], "The checkpoint's root")
    need(len(root) == 32, "The checkpoint's root is not 32 bytes.")
    return body[0], decimal(body[1], "The checkpoint's size"), root


def continues(old, size, path, old_root, root):
    """Whether the tree of ``size`` begins with the tree of ``old`` leaves, at least one (RFC 9162, 2.1.4.2)."""
    if old == size:
        return not path and old_root == root
    steps = list(path) if old & (old - 1) else [old_root, *path]
    if not 0 < old < size or not steps:
        return False
    fn, sn = old - 1, size - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    was = now = steps[0]
    for step in steps[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            was, now = (hashlib.sha256(b"\x01" + step + found).digest() for found in (was, now))
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            now = hashlib.sha256(b"\x01" + now + step).digest()
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and was == old_root and now == root


class Note:
    """A signed checkpoint."""

    def __init__(self, whole):
        need(len(whole.encode()) <= 131072, "The checkpoint is too long.")
        need(not re.search("[\x00-\x09\x0b-\x1f]", whole), "The checkpoint has control characters.")
        text, empty, lines = whole.rpartition("\n\n")
        need(empty and lines.endswith("\n"), "The checkpoint has no signatures.")
        self.text, self.signatures = text + "\n", []
        rows = lines[:-1].split("\n")
        need(len(rows) <= 100, "The checkpoint has too many signatures.")
        for row in rows:
            words = row.split(" ", 2)
            need(len(words) == 3 and words[0] == "\u2014" and name_ok(words[1]), "A signature line has another form.")
            raw = unbase64(words[2], "A signature")
            need(len(raw) > 4, "A signature is too short.")
            self.signatures.append((words[1], raw[:4], raw[4:]))
        self.origin, self.size, self.root = checkpoint(self.text)


class Proof:
    """A C2SP tlog-proof file."""

    def __init__(self, text):
        need(len(text.encode()) <= 131072 + 8192, "The proof is too long.")
        head, _, note = text.partition("\n\n")
        lines = head.split("\n")
        need(lines.pop(0) == "c2sp.org/tlog-proof@v1", "The proof is no tlog-proof file.")
        if lines and lines[0].startswith("extra "):
            unbase64(lines.pop(0)[6:], "The proof's extra")
        need(lines and lines[0].startswith("index "), "The proof has no index.")
        self.index = decimal(lines.pop(0)[6:], "The proof's index")
        self.path = [unbase64(line, "A hash of the path") for line in lines]
        need(len(self.path) <= 63 and all(len(step) == 32 for step in self.path), "The proof's path is no path.")
        self.note = Note(note)

    def holds(self, leaf):
        """Whether the leaf hash is in the tree (RFC 9162, 2.1.3.2)."""
        fn, sn, found = self.index, self.note.size - 1, leaf
        if fn > sn:
            return False
        for step in self.path:
            if sn == 0:
                return False
            if fn & 1 or fn == sn:
                found = hashlib.sha256(b"\x01" + step + found).digest()
                while fn and not fn & 1:
                    fn, sn = fn >> 1, sn >> 1
            else:
                found = hashlib.sha256(b"\x01" + found + step).digest()
            fn, sn = fn >> 1, sn >> 1
        return sn == 0 and found == self.note.root


# --- RFC 3161 ---

SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
TST_INFO = bytes.fromhex("2a864886f70d0109100104")
SHA256 = bytes.fromhex("608648016503040201")


def imprint(token):
    """The SHA-256 that a TimeStampToken stamps. Who signed it is not looked at."""
    content = der(inside(der(token), 0, 0x30))
    need(len(der(token)) == 1 and inside(content, 0, 0x06) == SIGNED_DATA, "The time stamp is no signed data.")
    signed = der(inside(der(inside(content, 1, 0xA0)), 0, 0x30))
    encapsulated = der(inside(signed, 2, 0x30))
    need(inside(encapsulated, 0, 0x06) == TST_INFO, "The time stamp has no TSTInfo.")
    info = der(inside(der(inside(der(inside(encapsulated, 1, 0xA0)), 0, 0x04)), 0, 0x30))
    stamped = der(inside(info, 2, 0x30))
    algorithm = der(inside(stamped, 0, 0x30))
    need(inside(algorithm, 0, 0x06) == SHA256, "The time stamp's imprint is not SHA-256.")
    return inside(stamped, 1, 0x04)


# --- a knot seal ---

LEAF = {
    "standing": str,
    "timestamp": str,
    "log_index": int,
    "leaf": str,
    "opening": dict,
    "consensus_seal": str,
    "seal_proof": str,
    "timestamp_token": str,
}
FIRST = ("log_index", "leaf", "opening", "consensus_seal", "seal_proof", "timestamp", "timestamp_token")
"""What a seal repeats of its first leaf."""
OUTSIDE = {"checkpoint": str, "consistency": list, "timestamp_token": str}
SEAL = dict(LEAF, knot_id=str, node_id=str, log_origin=str, leaves=list, training=bool)
OPENING = {"salt": str, "payload": str}
HEADER = {"action": str, "actor": str, "body": str, "outcome": str, "seq": int, "ts": int, "v": int}
MAY_BE_NULL = ("consensus_seal", "seal_proof", "timestamp_token", "salt", "payload")
MAY_BE_NULL += ("follows", "display_name", "latency_us", "evidence")


def shaped(value, shape, what):
    """``Bad`` unless ``value`` has the members of ``shape``, all of them and no other."""
    need(isinstance(value, dict) and set(value) == set(shape), what + " has other members than it must have.")
    for name, kind in shape.items():
        good = type(value[name]) is kind or (value[name] is None and name in MAY_BE_NULL)
        need(good, f"{what}: {name} has another type.")


def rfc3339(seconds):
    """Unix seconds as the API writes times."""
    try:
        at = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds)
    except OverflowError:
        raise Bad("The quorum's time is beyond every calendar.") from None
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Report:
    """The checks that were made, one line each."""

    def __init__(self):
        self.checks = []

    def check(self, name, work, *given):
        """Runs one check: ``work`` gives (sentence, value) or raises ``Bad``. The value, or None."""
        try:
            sentence, value = work(*given)
        except Bad as error:
            self.checks.append((name, False, str(error)))
            return None
        self.checks.append((name, True, sentence))
        return value

    @property
    def good(self):
        """Whether everything that was checked is good."""
        return bool(self.checks) and all(good for _, good, _ in self.checks)


def seal_shape(seal):
    """The file's structure."""
    shaped(seal, SEAL, "The seal")
    need(0 < len(seal["leaves"]) <= 10000, "The seal has no leaves.")
    for leaf in seal["leaves"]:
        renewed = isinstance(leaf, dict) and "outside_stamps" in leaf
        shaped(leaf, dict(LEAF, outside_stamps=list) if renewed else LEAF, "A leaf of the seal")
        for stamp in leaf.get("outside_stamps", ()):
            shaped(stamp, OUTSIDE, "An outside time stamp")
            need(stamp["timestamp_token"] is not None, "An outside time stamp has no token.")
            need(all(isinstance(step, str) for step in stamp["consistency"]), "A consistency proof is none.")
        shaped(leaf["opening"], OPENING, "An opening")
    return "A knot seal with {} statement(s).".format(len(seal["leaves"])), seal


def seal_hash(leaf):
    """Step 1."""
    need(leaf["seal_proof"] is not None, "It has no proof yet: the witnesses' quorum was missing. Ask the site again.")
    found = hashlib.sha256(b"arc-knot-seal/v1\n" + leaf["seal_proof"].encode()).hexdigest()
    need(leaf["consensus_seal"] == "0x" + found, "The consensus seal is not that of the proof.")
    return "The consensus seal is the hash of the proof.", True


def leaf_content(leaf):
    """Step 2: (leaf hash, payload)."""
    sentence, (hashed, payload, header) = opened(leaf)
    need(header["outcome"] == leaf["standing"], "The leaf states another standing than it says.")
    return sentence, (hashed, payload)


def opened(leaf):
    """A leaf of either log: (leaf hash, payload, header)."""
    header = unjson(leaf["leaf"], "The leaf")
    shaped(header, HEADER, "The leaf")
    need(canonical(header) == leaf["leaf"] and header["v"] == 1, "The leaf is not in canonical form.")
    need(header["seq"] == leaf["log_index"], "The leaf has another place in the log than it says.")
    opening = leaf["opening"]
    need(
        opening["salt"] is not None and opening["payload"] is not None,
        "The content is erased or withheld: its hash stands in the log, what it said cannot be shown any more.",
    )
    salt, payload = (unbase64(opening[name], "The opening's " + name) for name in ("salt", "payload"))
    need(len(salt) == 16, "The opening's salt is not 16 bytes.")
    body = hashlib.sha256(salt + payload).hexdigest()
    need(body == header["body"], "The content is not the one that the leaf commits to.")
    hashed = hashlib.sha256(b"\0" + leaf["leaf"].encode()).digest()
    return "The leaf commits to exactly this content.", (hashed, unjson(payload, "The content"), header)


def leaf_quorum(seal, leaf, policy):
    """Step 3: the parsed proof."""
    need(leaf["seal_proof"] is not None, "There is no checkpoint yet.")
    proof = Proof(leaf["seal_proof"])
    need(proof.note.origin == seal["log_origin"], "The checkpoint is of another log than it says.")
    at = rfc3339(policy.met_at(proof.note))
    stated = [at]
    if "knot_id" in seal:
        # Since 2026-11-23 a seal states its leaf's own time.
        own = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=opened(leaf)[1][2]["ts"])
        stated.append(own.strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
    need(leaf["timestamp"] in stated, f"The witnesses' quorum was met at {at}, not when it says.")
    return f"{proof.note.origin} signed it, and its witnesses' quorum was met at {at}.", proof


def leaf_path(leaf, proof, hashed):
    """Step 4."""
    need(proof.index == leaf["log_index"], "The proof is of another place in the log.")
    need(proof.holds(hashed), "The leaf is not in the tree that the checkpoint signs.")
    return f"The leaf is entry {proof.index} of {proof.note.size} in the signed tree.", True


def leaf_stamp(leaf, proof):
    """Step 5, as far as this file goes."""
    need(leaf["timestamp_token"] is not None, "The checkpoint has no time stamp.")
    token = unbase64(leaf["timestamp_token"], "The time stamp")
    need(
        imprint(token) == hashlib.sha256(proof.note.text.encode()).digest(),
        "The time stamp is of something else than the checkpoint.",
    )
    return "The time stamp is of this checkpoint (who signed the stamp is not judged here).", True


def leaf_outside(leaf, proof):
    """Step 5 for the stamps of outside authorities."""
    note, stamps, before = proof.note, leaf["outside_stamps"], 0
    need(0 < len(stamps) <= 2, "There are none, or too many.")
    for stamp in stamps:
        origin, size, root = checkpoint(stamp["checkpoint"])
        need(size > before, "The outside time stamps are not in the log's order.")
        before = size
        path = [unbase64(step, "A hash of the consistency proof") for step in stamp["consistency"]]
        need(origin == note.origin, "An outside time stamp is of another log.")
        need(
            continues(note.size, size, path, note.root, root),
            "The checkpoint that was stamped outside does not continue the seal's own.",
        )
        need(
            imprint(unbase64(stamp["timestamp_token"], "An outside time stamp"))
            == hashlib.sha256(stamp["checkpoint"].encode()).digest(),
            "An outside time stamp is of something else than its checkpoint.",
        )
    return f"{len(stamps)} outside time stamp(s) over checkpoints that continue this one.", True


def knot(seal, contents):
    """What joins the leaves: names, order, and all that the seal says beside them."""
    need(None not in contents, "Not every statement could be read.")
    hashed, first = contents[0]
    number = int.from_bytes(hashed[:10], "big")
    digits = "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[number >> shift & 31] for shift in range(75, -1, -5))
    need(seal["knot_id"] == "KNOT-" + digits, "The knot's name is not that of its first leaf.")
    need(all(seal[name] == seal["leaves"][0][name] for name in FIRST), "The seal repeats its first leaf differently.")
    need(all(payload.get("node_id") == seal["node_id"] for _, payload in contents), "The statements name another node.")
    later = [payload.get("first_leaf") for _, payload in contents[1:]]
    need("first_leaf" not in first, "The first statement is a later one of another knot.")
    need(all(name == hashed.hex() for name in later), "A later statement is of another knot.")
    places = [leaf["log_index"] for leaf in seal["leaves"]]
    need(rising(places), "The statements are not in the log's order.")
    last = seal["leaves"][-1]
    standing = "PENDING_CONSENSUS" if last["seal_proof"] is None else last["standing"]
    need(seal["standing"] == standing, "The standing is not what the last statement says.")
    return "{} of node {} stands at {}.".format(seal["knot_id"], seal["node_id"], seal["standing"]), True


def training(seal, first, policy):
    """Training is never taken for real. ``first``: (leaf hash, payload) of the first statement, or None."""
    said = first[1].get("training") if first else None
    need(type(said) is bool, "The first statement does not say which it is.")
    need(seal["training"] is said, "The seal and its first statement differ on whether this is TRAINING.")
    need(seal["log_origin"].startswith("training-") is said, "The log is of the other kind.")
    need(not (said and policy.production), "This is a TRAINING seal; it proves nothing to a production site.")
    return "This is a {} seal.".format("TRAINING" if said else "production"), True


def verify_seal(seal, policy, report):
    """Makes every check of a seal (as parsed JSON)."""
    if report.check("shape", seal_shape, seal) is None:
        return
    contents = []
    for number, leaf in enumerate(seal["leaves"], 1):
        report.check(f"seal {number}", seal_hash, leaf)
        content = report.check(f"leaf {number}", leaf_content, leaf)
        proof = report.check(f"quorum {number}", leaf_quorum, seal, leaf, policy)
        contents.append(content)
        if proof is not None and content is not None:
            report.check(f"path {number}", leaf_path, leaf, proof, content[0])
        if proof is not None:
            report.check(f"stamp {number}", leaf_stamp, leaf, proof)
            if "outside_stamps" in leaf:
                report.check(f"outside {number}", leaf_outside, leaf, proof)
    report.check("knot", knot, seal, contents)
    report.check("training", training, seal, contents[0], policy)


# --- a bundle: a zip without compression, whose every byte follows from its files ---

NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}(/[A-Za-z0-9][A-Za-z0-9._-]{0,63}){0,3}"
LOCAL, CENTRAL, END = "<4s5H3I2H", "<4s6H3I5H2I", "<4s4H2IH"
MANIFEST = {"v": int, "kind": str, "training": bool, "files": dict}


def pack(files):
    """The zip of ``files``: stored, in the order of their names, dated 1980-01-01, mode 0644."""
    parts, directory, offset = [], b"", 0
    for name in sorted(files):
        data, raw = files[name], name.encode("ascii")
        same = (20, 0, 0, 0, 0x21, zlib.crc32(data), len(data), len(data), len(raw))
        entry = struct.pack(LOCAL, b"PK\3\4", *same, 0) + raw
        directory += struct.pack(CENTRAL, b"PK\1\2", 0x0314, *same, 0, 0, 0, 0, 0o100644 << 16, offset) + raw
        parts += (entry, data)
        offset += len(entry) + len(data)
    count = len(files)
    parts += (directory, struct.pack(END, b"PK\5\6", 0, 0, count, count, len(directory), offset, 0))
    return b"".join(parts)


def unpack_zip(data):
    """The files of a zip that ``pack`` made; any other byte is refused, whatever a reader of zips would make of it."""
    files, at, head = {}, 0, struct.calcsize(LOCAL)
    while data[at : at + 4] == b"PK\3\4" and at + head <= len(data):
        need(len(files) < 4096, "The bundle has too many files.")
        size, length = struct.unpack_from("<22xI H", data, at)
        raw = data[at + head : at + head + length]
        at += head + length
        need(at + size <= len(data), "The bundle is cut off.")
        name = raw.decode("latin-1")
        need(re.fullmatch(NAME, name), "The bundle has a file with a name that it must not have.")
        need(name not in files, "The bundle has a file twice.")
        files[name] = data[at : at + size]
        at += size
    need(files and pack(files) == data, "The bundle is damaged, or was packed again by another program.")
    return f"{len(files)} files, as the site packed them.", files


def manifest_of(files):
    """The manifest, and that it names every file by its hash."""
    need("manifest.json" in files and "manifest.jws" in files, "The bundle has no manifest.")
    manifest = unjson(files["manifest.json"], "The manifest")
    shaped(manifest, MANIFEST, "The manifest")
    need(manifest["v"] == 1, "The manifest is of another version.")
    need(re.fullmatch("[a-z][a-z-]{0,31}", manifest["kind"]), "The manifest is of no known kind.")
    need(canonical(manifest).encode() == files["manifest.json"], "The manifest is not in canonical form.")
    signed = set(files) - {"manifest.json", "manifest.jws"}
    named = {name: hashlib.sha256(files[name]).hexdigest() for name in signed}
    for name in sorted(set(named) | set(manifest["files"])):
        need(named.get(name) == manifest["files"].get(name), f"{name} is not the file that was signed.")
    return "A bundle ({}): every file is the one that the manifest names.".format(manifest["kind"]), manifest


def manifest_signature(files):
    """That the manifest is signed by the key that its signature carries."""
    jws = unjson(files["manifest.jws"], "The manifest's signature")
    shaped(jws, {"payload": str, "protected": str, "signature": str}, "The manifest's signature")
    payload, protected, signature = (unbase64url(jws[name], name) for name in ("payload", "protected", "signature"))
    need(payload == files["manifest.json"], "The signature is of another manifest.")
    header = unjson(protected, "The signature's header")
    shaped(header, {"alg": str, "typ": str, "x5c": list}, "The signature's header")
    need(header["alg"] == "EdDSA" and header["typ"] == "arc-bundle+jws", "The signature is of another kind.")
    need(header["x5c"] and isinstance(header["x5c"][0], str), "The signature carries no certificate.")
    signed = der(inside(der(inside(der(unbase64(header["x5c"][0], "The certificate")), 0, 0x30)), 0, 0x30))
    key = der(inside(signed, 6, 0x30))
    need(inside(key, 0, 0x30) == bytes.fromhex("06032b6570"), "The certificate's key is not Ed25519.")
    message = (jws["protected"] + "." + jws["payload"]).encode()
    need(ed25519(inside(key, 1, 0x03)[1:], message, signature), "The manifest's signature is wrong.")
    return "The manifest is signed by the key it carries (whether the site's is not judged here).", True


def parts_of(seal):
    """The files that a bundle has beside a seal, for other verifiers: what each is follows from the seal."""
    found = {}
    for leaf in seal["leaves"]:
        stem = "seal/{}".format(leaf["log_index"])
        found[stem + ".leaf"] = leaf["leaf"].encode()
        if leaf["seal_proof"] is not None:
            found[stem + ".tlog-proof"] = leaf["seal_proof"].encode()
            found[stem + ".checkpoint"] = Proof(leaf["seal_proof"]).note.text.encode()
        if leaf["timestamp_token"] is not None:
            found[stem + ".tst"] = unbase64(leaf["timestamp_token"], "The time stamp")
        for number, stamp in enumerate(leaf.get("outside_stamps", ()), 1):
            outside = f"{stem}.outside-{number}"
            found[outside + ".checkpoint"] = stamp["checkpoint"].encode()
            found[outside + ".consistency"] = "".join(step + "\n" for step in stamp["consistency"]).encode()
            found[outside + ".tst"] = unbase64(stamp["timestamp_token"], "An outside time stamp")
    return found


def parts(files, manifest, seal):
    """That the bundle's other files say what its seal says."""
    shaped(seal, SEAL, "The seal")
    beside = {name: data for name, data in files.items() if name.startswith("seal/")}
    need(beside == parts_of(seal), "The files beside the seal are not the seal's own.")
    need(manifest["training"] is seal["training"], "Seal and manifest differ on whether this is TRAINING.")
    return "Proofs, checkpoints and time stamps are the seal's own.", True


def verify_bundle(data, policy, report):
    """Makes every check of a bundle."""
    files = report.check("zip", unpack_zip, data)
    if files is None:
        return
    manifest = report.check("manifest", manifest_of, files)
    if manifest is None:
        return
    report.check("signature", manifest_signature, files)
    if manifest["kind"] == "burn":
        verify_burn(files, manifest, policy, report)
        return
    if manifest["kind"] == "media-scan":
        report.check("signer", scan_signer)
        return
    if manifest["kind"] == "strike":
        verify_strike(files, manifest, policy, report)
        return
    if manifest["kind"] == "audit-entries":
        verify_entries(files, manifest, policy, report)
        return
    seal = report.check("content", lambda: ("The bundle holds a seal.", sealed(files)))
    if seal is not None:
        verify_seal(seal, policy, report)
        if report.good:
            report.check("parts", parts, files, manifest, seal)


# --- a burn: its leaves in the audit log, and the chain of its segments ---

BURN = {"burn_id": str, "node_id": str, "training": bool, "log_origin": str, "segments": list, "leaves": list}
BURN_LEAF = dict(LEAF, proof=str)
for _gone in ("standing", "consensus_seal", "seal_proof"):
    del BURN_LEAF[_gone]
TEXTS = ("log", "prev_sha256", "burn_id", "node_id", "scope", "reason", "burned_at", "made_at", "state")
HEAD = dict(dict.fromkeys(TEXTS, str), follows=dict, drill=bool, training=bool)
HEAD.update(dict.fromkeys(("v", "segment", "epoch", "targets", "open"), int))
TARGET = dict.fromkeys(("target", "kind", "display_name", "state", "evidence"), str)
TARGET.update(attempts=int, latency_us=int)
HEAD_2 = dict(HEAD, delivered=int, unlinked=int)
UNPROVEN = ("delivered", "unlinked")
FINAL = ("revoked", "already", "closed", *UNPROVEN)
OWN = ("manifest.json", "manifest.jws", "arc_verify.py", "HOW-TO-VERIFY.txt", "burn.json", "report.pdf")


def verify_burn(files, manifest, policy, report):
    """Makes every check of a burn's bundle. The C2PA manifests in it are not judged here."""
    burn = report.check("shape", burn_shape, files)
    if burn is None:
        return
    contents = verify_leaves(burn, policy, report)
    report.check("chain", chain, burn, contents, files)
    report.check("parts", burn_parts, files, burn)
    report.check("training", burn_training, burn, manifest, policy)


def verify_leaves(evidence, policy, report):
    """Makes the checks of every entry of the audit log in ``evidence``; what each holds."""
    contents = []
    for number, leaf in enumerate(evidence["leaves"], 1):
        # As a seal's leaf has it: the same steps.
        leaf = dict(leaf, seal_proof=leaf["proof"])
        content = report.check(f"leaf {number}", opened, leaf)
        proof = report.check(f"quorum {number}", leaf_quorum, evidence, leaf, policy)
        contents.append(content)
        if proof is not None and content is not None:
            report.check(f"path {number}", leaf_path, leaf, proof, content[0])
        if proof is not None:
            report.check(f"stamp {number}", leaf_stamp, leaf, proof)
    return contents


def burn_shape(files):
    """The structure of burn.json."""
    need("burn.json" in files, "The bundle holds no burn.")
    burn = unjson(files["burn.json"], "The burn")
    shaped(burn, BURN, "The burn")
    segments = burn["segments"]
    need(0 < len(segments) <= 1000, "The burn has no segments.")
    need(all(type(number) is int and number >= 0 for number in segments), "A segment has no number.")
    need(len(burn["leaves"]) == 1 + len(segments), "The burn has another number of leaves than of segments.")
    for leaf in burn["leaves"]:
        shaped(leaf, BURN_LEAF, "A leaf of the burn")
        shaped(leaf["opening"], OPENING, "An opening")
    return "Burn {} of node {} with {} segment(s).".format(burn["burn_id"], burn["node_id"], len(segments)), burn


def segment_of(data):
    """A segment: its head and its targets."""
    need(data.endswith(b"\n"), "A segment is cut off.")
    head, *targets = (unjson(line, "A line of a segment") for line in data[:-1].split(b"\n"))
    need(isinstance(head, dict) and head.get("v") in (1, 2), "A segment is of another version.")
    shaped(head, HEAD if head["v"] == 1 else HEAD_2, "A segment")
    need(head["targets"] == len(targets), "A segment has another number of targets than it says.")
    for target in targets:
        shaped(target, TARGET, "A target")
    return head, targets


def standing_of(state):
    """What a follow-up must have changed: open states are one."""
    return state if state in FINAL else "open"


def chain(burn, contents, files):
    """What joins order, segments and leaves."""
    need(None not in contents, "Not everything could be read.")
    (_, order, header), *leaves = contents
    said = order.get("detail")
    need(header["action"] == "burn.executed", "The first leaf is not of a burn.")
    need(rising([leaf["log_index"] for leaf in burn["leaves"]]), "The leaves are not in the log's order.")
    need(order.get("node_id") == burn["node_id"], "The burn is of another node.")
    need(isinstance(said, dict) and said.get("burn_id") == burn["burn_id"], "The first leaf is of another burn.")
    states, before = {}, None
    for number, (_, payload, header) in zip(burn["segments"], leaves):
        data = files.get(f"segments/{number}.jsonl", b"")
        digest = hashlib.sha256(data).hexdigest()
        stated = {"burn_id": burn["burn_id"], "segment": number, "sha256": digest}
        good = header["action"] == "burn.sealed" and payload.get("detail") == stated
        need(good, f"Segment {number} is not the one that its leaf says.")
        head, targets = segment_of(data)
        same = (head["segment"], head["burn_id"], head["node_id"], head["log"], head["training"])
        good = same == (number, burn["burn_id"], burn["node_id"], burn["log_origin"], burn["training"])
        need(good, f"Segment {number} is of another burn.")
        good = all(said.get(name) == head[name] for name in ("scope", "reason", "epoch"))
        need(good, f"Segment {number} tells another order than was given.")
        told = {target["target"]: target["state"] for target in targets}
        if before is None:
            need(head["follows"] is None, "The burn's first segments are withheld.")
        else:
            follows = {"segment": before[0], "sha256": before[1]}
            need(head["follows"] == follows, f"Segment {number} does not follow the one before it.")
            good = number != before[0] + 1 or head["prev_sha256"] == before[1]
            need(good, f"Segment {number} does not continue the chain.")
            # From version 2 on a target may lose its proof: it is told as open, and again once it is proven anew.
            good = all(name in states and standing_of(told[name]) != standing_of(states[name]) for name in told)
            if head["v"] == 1:
                good = good and all(told[name] in FINAL and states[name] not in FINAL for name in told)
            need(good, f"Segment {number} tells what was proven before.")
        states.update(told)
        now = list(states.values())
        left = sum(state not in FINAL for state in now)
        good = len(told) == head["targets"] and head["open"] == left
        if head["v"] > 1:
            good = good and all(head[state] == now.count(state) for state in UNPROVEN)
        need(good, f"Segment {number} counts wrongly.")
        before = number, digest
    words = f"{left} target(s) had no proof yet" if left else "every target was proven or closed"
    also = ", ".join(f"{now.count(state)} {state}" for state in UNPROVEN if state in now)
    if also:
        words += "{} {}, which is no proof".format(";" if left else ", but", also)
    return f"One chain from the order to its last segment; {words}.", True


def leaf_files(leaves):
    """The files that stand for leaves of the audit log."""
    found = {}
    for leaf in leaves:
        stem = "audit/{}".format(leaf["log_index"])
        found[stem + ".leaf"] = leaf["leaf"].encode()
        found[stem + ".tlog-proof"] = leaf["proof"].encode()
        found[stem + ".checkpoint"] = Proof(leaf["proof"]).note.text.encode()
        if leaf["timestamp_token"] is not None:
            found[stem + ".tst"] = unbase64(leaf["timestamp_token"], "The time stamp")
    return found


def burn_parts(files, burn):
    """That the bundle's other files say what the burn says."""
    found = leaf_files(burn["leaves"])
    of_segments = [f"segments/{number}.{end}" for number in burn["segments"] for end in ("jsonl", "c2pa")]
    need(all(name in files for name in of_segments), "A segment or its manifest is missing.")
    beside = {name: data for name, data in files.items() if name not in (*OWN, *of_segments)}
    need(beside == found, "The files beside the burn are not the burn's own.")
    return "Proofs, checkpoints and time stamps are the burn's own.", True


def burn_training(burn, manifest, policy):
    """Training is never taken for real."""
    said = burn["training"]
    need(manifest["training"] is said, "Burn and manifest differ on whether this is TRAINING.")
    need(burn["log_origin"].startswith("training-") is said, "The log is of the other kind.")
    need(not (said and policy.production), "This is a TRAINING burn; it proves nothing to a production site.")
    return "This is a {} burn.".format("TRAINING" if said else "production"), True


# --- chosen entries of the audit log ---

ENTRIES = {"training": bool, "log_origin": str, "leaves": list}


def verify_entries(files, manifest, policy, report):
    """Makes every check of a bundle of entries: each by itself."""
    entries = report.check("shape", entries_shape, files)
    if entries is None:
        return
    verify_leaves(entries, policy, report)
    report.check("parts", entries_parts, files, entries)
    report.check("training", entries_training, entries, manifest, policy)


def entries_shape(files):
    """The structure of entries.json."""
    need("entries.json" in files, "The bundle holds no entries.")
    entries = unjson(files["entries.json"], "The list of entries")
    shaped(entries, ENTRIES, "The list of entries")
    leaves = entries["leaves"]
    need(0 < len(leaves) <= 1000, "There are no entries, or too many.")
    for leaf in leaves:
        shaped(leaf, BURN_LEAF, "An entry")
        shaped(leaf["opening"], OPENING, "An opening")
    need(rising([leaf["log_index"] for leaf in leaves]), "The entries are not in the log's order.")
    return "{} chosen entries of the log {}.".format(len(leaves), entries["log_origin"]), entries


def entries_parts(files, entries):
    """That the bundle's other files say what the entries say."""
    own = (*OWN[:4], "entries.json")
    beside = {name: data for name, data in files.items() if name not in own}
    need(beside == leaf_files(entries["leaves"]), "The files beside the entries are not the entries' own.")
    return "Proofs, checkpoints and time stamps are the entries' own.", True


def entries_training(entries, manifest, policy):
    """Training is never taken for real."""
    said = entries["training"]
    need(manifest["training"] is said, "Entries and manifest differ on whether this is TRAINING.")
    need(entries["log_origin"].startswith("training-") is said, "The log is of the other kind.")
    need(not (said and policy.production), "These are TRAINING entries; they prove nothing to a production site.")
    return "These are {} entries.".format("TRAINING" if said else "production"), True


# --- a strike: its leaves in the audit log, and the documents that the first of them states ---

STRIKE = dict.fromkeys(("strike_id", "tracking_token", "issued_at", "law", "law_sha256", "declaration_sha256"), str)
STRIKE.update(revision=int, notices=list, training=bool, log_origin=str, leaves=list)
NOTICE = dict.fromkeys(("notice_id", "platform", "kind", "sha256", "state"), str)
NOTICE.update(number=int)
STRIKE_OWN = (*OWN[:4], "strike.json", "declaration.pdf", "certificates.pem")
STRIKE_TOLD = ("strike.issued", "strike.revised", "strike.notice", "strike.withdrawn")


def verify_strike(files, manifest, policy, report):
    """Makes every check of a strike's bundle. Who signed declaration and notices is not judged here: the audit log
    states them by their digests."""
    strike = report.check("shape", strike_shape, files)
    if strike is None:
        return
    contents = verify_leaves(strike, policy, report)
    report.check("statement", strike_statement, strike, contents, files)
    report.check("notices", strike_notices, strike, files)
    report.check("law", strike_law, strike, files)
    report.check("parts", strike_parts, files, strike)
    report.check("training", strike_training, strike, manifest, policy)


def strike_shape(files):
    """The structure of strike.json."""
    need("strike.json" in files and "declaration.pdf" in files, "The bundle holds no strike.")
    strike = unjson(files["strike.json"], "The strike")
    shaped(strike, STRIKE, "The strike")
    need(0 < len(strike["leaves"]) <= 10000, "The strike has no leaves.")
    for leaf in strike["leaves"]:
        shaped(leaf, BURN_LEAF, "A leaf of the strike")
        shaped(leaf["opening"], OPENING, "An opening")
    for notice in strike["notices"]:
        shaped(notice, NOTICE, "A notice")
    numbers = [notice["number"] for notice in strike["notices"]]
    need(len(set(numbers)) == len(numbers), "Two notices have one number.")
    need(all(name in files for number in numbers for name in notice_names(number)), "A notice is missing.")
    return "Strike {} under {} with {} notice(s).".format(strike["strike_id"], strike["law"], len(numbers)), strike


def notice_names(number):
    """The files of a notice."""
    return f"notices/{number}.json", f"notices/{number}.jws"


def pinned_files(files):
    """Digests of law and evidence."""
    return {
        name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name.startswith(("law/", "evidence/"))
    }


def strike_statement(strike, contents, files):
    """That the first leaf states these documents, and that the others are their history."""
    need(None not in contents, "Not everything could be read.")
    (_, stated, header), *history = contents
    said = stated.get("detail")
    need(header["action"] in STRIKE_TOLD[:2] and isinstance(said, dict), "The first leaf states no strike.")
    digest = hashlib.sha256(files["declaration.pdf"]).hexdigest()
    need(strike["declaration_sha256"] == digest, "The declaration is not the one that the strike names.")
    same = ("strike_id", "law", "law_sha256", "declaration_sha256", "revision", "training")
    need(all(said.get(name) == strike[name] for name in same), "The leaf states another strike.")
    members = ("notice_id", "number", "platform", "kind", "sha256")
    named = [notice for notice in said.get("notices", ()) if isinstance(notice, dict)]
    theirs = sorted(str([notice.get(name) for name in members]) for notice in named)
    ours = sorted(str([notice[name] for name in members]) for notice in strike["notices"])
    need(theirs == ours, "The leaf states other notices.")
    need(said.get("files") == pinned_files(files), "The leaf states other files of law and evidence.")
    states = {notice["notice_id"]: notice.get("state") for notice in named}
    first, *places = [leaf["log_index"] for leaf in strike["leaves"]]
    need(rising(places), "The history is not in the log's order.")
    for index, (_, payload, head) in zip(places, history):
        told = payload.get("detail")
        good = head["action"] in STRIKE_TOLD and isinstance(told, dict) and told.get("strike_id") == strike["strike_id"]
        need(good, "A leaf of the history is of another strike.")
        if head["action"] == "strike.notice" and index > first and told.get("notice_id") in states:
            states[told["notice_id"]] = told.get("state")
    now = {notice["notice_id"]: notice["state"] for notice in strike["notices"]}
    need(states == now, "A notice stands otherwise than its history says.")
    return f"The audit log states declaration, {len(ours)} notice(s), law and evidence as they are here.", True


def strike_notices(strike, files):
    """That each notice is the one that its signature is over, and that the strike names."""
    for notice in strike["notices"]:
        text, signature = (files[name] for name in notice_names(notice["number"]))
        need(hashlib.sha256(text).hexdigest() == notice["sha256"], "A notice is not the one that the strike names.")
        coded = base64.urlsafe_b64encode(text).rstrip(b"=")
        need(signature.split(b".")[1:2] == [coded], "A signature is over another notice.")
        said = unjson(text, "A notice")
        need(isinstance(said, dict) and said.get("training") is strike["training"], "A notice is of the other kind.")
    return "Every notice is the one that its signature is over.", True


def strike_law(strike, files):
    """That the law's folder is the pinned one."""
    lines = sorted((name[4:], digest) for name, digest in pinned_files(files).items() if name.startswith("law/"))
    text = "".join(f"{digest} {name}\n" for name, digest in lines)
    need(hashlib.sha256(text.encode()).hexdigest() == strike["law_sha256"], "The law's folder is another one.")
    return "The law file {} is the one that the strike was issued under.".format(strike["law"]), True


def strike_parts(files, strike):
    """That the bundle's other files say what the strike says."""
    documents = [name for notice in strike["notices"] for name in notice_names(notice["number"])]
    known = (*STRIKE_OWN, *documents, *pinned_files(files))
    beside = {name: data for name, data in files.items() if name not in known}
    need(beside == leaf_files(strike["leaves"]), "The files beside the strike are not the strike's own.")
    return "Proofs, checkpoints and time stamps are the strike's own.", True


def strike_training(strike, manifest, policy):
    """Training is never taken for real."""
    said = strike["training"]
    need(manifest["training"] is said, "Strike and manifest differ on whether this is TRAINING.")
    need(strike["log_origin"].startswith("training-") is said, "The log is of the other kind.")
    need(not (said and policy.production), "This is a TRAINING strike; it proves nothing to a production site.")
    return "This is a {} strike.".format("TRAINING" if said else "production"), True


# --- a media scan ---


def scan_signer():
    """No log states a scan's report: the site's signature alone does, and whose it is, certificates tell."""
    raise Bad("Only the site's signature binds this report, and whose it is, is not judged here: use ARC Console.")


def sealed(files):
    """The seal in a bundle."""
    need("seal.json" in files, "The bundle holds no seal.")
    return unjson(files["seal.json"], "The seal")


def verify(data, policy):
    """Verifies a file's bytes under a policy's bytes; the ``Report``."""
    report = Report()
    trust = report.check("policy", lambda: ("The policy is well formed.", Policy(policy)))
    if trust is not None and data[:4] == b"PK\3\4":
        verify_bundle(data, trust, report)
    elif trust is not None:
        seal = report.check("file", lambda: ("The file is JSON.", unjson(data, "The file")))
        if seal is not None:
            verify_seal(seal, trust, report)
    return report


def read(path):
    """A file's bytes, bounded."""
    with open(path, "rb") as file:
        data = file.read(FILE_LIMIT + 1)
    need(len(data) <= FILE_LIMIT, f"{path} is too long.")
    return data


def plain(text):
    """``text`` without what a terminal might take for a command."""
    return "".join(char if " " <= char <= "~" else "?" for char in text)


def main(arguments=None):
    """The command line."""
    parser = argparse.ArgumentParser(description="Verify an ARC Console seal or evidence bundle offline.")
    parser.add_argument("file", metavar="FILE", help="a knot seal (JSON) or a bundle (zip)")
    parser.add_argument("--policy", required=True, help="C2SP tlog-policy file that you trust")
    options = parser.parse_args(arguments)
    try:
        report = verify(read(options.file), read(options.policy))
    except (OSError, Bad) as error:
        print(f"BAD   {plain(str(error))}")
        return 1
    for name, good, sentence in report.checks:
        print("{:<6}{:<11}{}".format("good" if good else "BAD", name, plain(sentence)))
    print("VERIFIED" if report.good else "NOT VERIFIED")
    return 0 if report.good else 1


if __name__ == "__main__":
    sys.exit(main())
