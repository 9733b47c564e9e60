"""Tests as LiveCodeBench packs them: base64 of zlib of a pickle that holds one string.

A pickle is a program, so none is ever run: the few opcodes that a lone string is made of are read
here, and anything else is refused.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from evalsi.core.errors import DataError
from evalsi_pack_rl.code_exec.cases_reading import parsed

if TYPE_CHECKING:
    from evalsi.core.results import JSON

__all__ = ["unpacked"]

_MOST: Final = 512 * 2**20
_SIZES: Final = {0x8C: 1, 0x58: 4, 0x8D: 8}  # SHORT_BINUNICODE, BINUNICODE, BINUNICODE8
_IGNORED: Final = {0x94: 0, 0x71: 1, 0x72: 4, 0x95: 8}  # MEMOIZE, BINPUT, LONG_BINPUT, FRAME
_PROTO, _STOP = 0x80, 0x2E
_PROTOCOLS: Final = range(2, 6)


def unpacked(value: JSON, where: str) -> JSON:
    """The value as it is, as JSON text, or out of its packing."""
    if not isinstance(value, str) or value.lstrip()[:1] in ("", "[", "{"):
        return parsed(value, where)
    try:
        return parsed(_text(value), where)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise DataError(
            f"{where} is neither JSON nor base64 of zlib of a pickled string: {error}"
        ) from error


@lru_cache(maxsize=8)  # the rollouts of one prompt share their tests, which may be large
def _text(packed: str) -> str:
    return _pickled_text(_inflated(base64.b64decode(packed, validate=True)))


def _inflated(data: bytes) -> bytes:
    stream = zlib.decompressobj()
    inflated = stream.decompress(data, _MOST)
    if stream.unconsumed_tail:
        raise ValueError(f"it holds more than {_MOST >> 20} MiB")
    if not stream.eof:
        raise ValueError("its zlib stream is cut off")
    return inflated


def _pickled_text(data: bytes) -> str:
    """The one string in a pickle of protocol 2 to 5."""
    if len(data) < 2 or data[0] != _PROTO or data[1] not in _PROTOCOLS:
        raise ValueError("it is no pickle of protocol 2 to 5")
    text = None
    at = 2
    while at < len(data):
        opcode = data[at]
        at += 1
        if opcode in _SIZES and text is None:
            start = at + _SIZES[opcode]
            at = start + int.from_bytes(data[at:start], "little")
            if at > len(data):
                break
            text = data[start:at].decode("utf-8", "surrogatepass")
        elif opcode in _IGNORED:
            at += _IGNORED[opcode]
        elif opcode == _STOP and text is not None and at == len(data):
            return text
        else:
            raise ValueError(f"opcode {opcode:#04x} is no part of one pickled string")
    raise ValueError("its pickle is cut off")
