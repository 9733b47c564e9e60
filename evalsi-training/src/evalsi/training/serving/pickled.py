"""Where the numbers lie in a file that torch saved; nothing that the file holds is run.

Such a file is a zip with a pickle, which is a program, and beside it the plain bytes of every
storage. Here the program is read as a text, for what it says of the storages.
"""

from __future__ import annotations

import pickletools
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["Storage", "storages_of"]

_MOST: Final = 100 * 1000 * 1000  # bytes of a program, as of a header of safetensors
_FORMS: Final = {
    "torch BFloat16Storage": "<u2",
    "torch DoubleStorage": "<f8",
    "torch FloatStorage": "<f4",
    "torch HalfStorage": "<f2",
}
_LOCAL_HEADER: Final = 30


class Storage(NamedTuple):
    """Bytes of one storage: which, of what numbers, and where in the file."""

    name: str
    form: str
    begin: int
    size: int


def storages_of(file: Path) -> Iterator[Storage]:
    """The storages of floats; none of a file of before torch 1.6, which is no zip.

    Raises:
        ValueError: the file is broken.
        OSError: it cannot be read.
    """
    if not zipfile.is_zipfile(file):
        return
    with zipfile.ZipFile(file) as held, file.open("rb") as opened:
        program = next((name for name in held.namelist() if name.endswith("/data.pkl")), None)
        if program is None or held.getinfo(program).file_size > _MOST:
            return
        folder = program.removesuffix("data.pkl")
        for key, form in _forms(held.read(program)).items():
            found = held.getinfo(f"{folder}data/{key}")
            opened.seek(found.header_offset)
            header = opened.read(_LOCAL_HEADER)
            names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:], "little")
            begin = found.header_offset + _LOCAL_HEADER + names
            yield Storage(key, form, begin, found.file_size)


def _forms(program: bytes) -> Mapping[str, str]:
    """By storage, its numbers' form: each is told as ("storage", class, key, device, size)."""
    found: dict[str, str] = {}
    texts: list[str] = []
    held: dict[int, str] = {}
    for operation, told, _ in pickletools.genops(program):
        match operation.name:
            case "GLOBAL" | "BINUNICODE" | "SHORT_BINUNICODE":
                texts.append(str(told))
            case "BINPUT" | "LONG_BINPUT" if texts and isinstance(told, int):
                held[told] = texts[-1]
            case "BINGET" | "LONG_BINGET" if isinstance(told, int):
                texts.append(held.get(told, ""))
            case "BINPERSID" if texts[-4:-3] == ["storage"] and texts[-3] in _FORMS:
                found[texts[-2]] = _FORMS[texts[-3]]
    return found
