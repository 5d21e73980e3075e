"""PySide6, imported without three things that it does anew at each start of a program.

* It carries Python sources in an archive inside of its library and compiles them each time, 10 ms. Here they are
  compiled once, and kept as Python keeps its own: beside this file, as hash-based ``.pyc`` files (PEP 552).
* One of them writes ``.pyi`` files, which no program that runs does, and takes 6 ms to be imported, with ``argparse``
  and ``logging``. It is left empty, if it is the very source of which that is known.
* It puts a function in place of ``__import__`` that reads the source of every module imported from then on, to see
  whether ``from __feature__ import`` concerns it: a tenth of the start.
"""

from __future__ import annotations

import builtins
import marshal
import os
import sys
import zlib
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from types import CodeType
from typing import Any

_THEIRS = "shibokensupport/"
_EMPTY = {"shibokensupport/signature/lib/pyi_generator.py": {1711296105}}
"""CRC-32 of the sources that are left empty, of PySide6 6.11: nothing else of it uses what is in them."""
_CHECKED = (3).to_bytes(4, "little")
"""The flags of a ``.pyc`` that is valid as long as its source has the same hash."""

_compile, _import = builtins.compile, builtins.__import__


def import_qt() -> None:
    """Import PySide6 and ``QtCore``. Before anything else of Qt is imported."""
    _put(compile=_compile_once)
    try:
        import PySide6.QtCore  # noqa: F401
    finally:
        _put(compile=_compile, __import__=_import)


def _put(**functions: object) -> None:
    for name, function in functions.items():
        setattr(builtins, name, function)


def _compile_once(source: Any, filename: Any, mode: Any, *more: Any, **options: Any) -> Any:
    """``compile``, but what PySide6 carries is read from where it was kept, if it was made of this very source."""
    if not (isinstance(filename, str) and filename.startswith(_THEIRS) and isinstance(source, bytes) and not more):
        return _compile(source, filename, mode, *more, **options)
    if zlib.crc32(source) in _EMPTY.get(filename, ()):
        return _compile(b"", filename, mode, **options)
    header = MAGIC_NUMBER + _CHECKED + source_hash(source)
    path = kept_at(filename)
    try:
        with open(path, "rb") as file:
            kept = file.read()
        if kept.startswith(header):
            return marshal.loads(memoryview(kept)[len(header) :])  # trusted as the .pyc files beside it
    except (OSError, EOFError, ValueError, TypeError):
        pass
    made: CodeType = _compile(source, filename, mode, **options)
    if not sys.dont_write_bytecode:
        _keep(path, header + marshal.dumps(made))
    return made


def kept_at(filename: str) -> str:
    """Path of the compiled file ``filename`` of PySide6's archive."""
    own = cache_from_source(__file__)
    return f"{own.removesuffix('.pyc')}.{filename.replace('/', '.')}c"


def _keep(path: str, data: bytes) -> None:
    """Write it whole or not at all: another console may start now. A folder that cannot be written costs 10 ms."""
    part = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(part, "xb") as file:
            file.write(data)
        os.replace(part, path)
    except OSError:
        return
