"""Which modules stand ready for a program: few in every jail, more where its text imports one.

Each fork copies the tables and mappings of all that is loaded, so that what many programs leave
alone is loaded for the others only, and once a jail.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from evalsi.core.sandbox import Program

__all__ = ["base_of"]

_USUAL: Final = "bisect enum heapq re string typing"
_MORE: Final = """
    array ast base64 calendar cmath copy dataclasses datetime decimal fractions json linecache
    locale numbers pickle random signal socket statistics tokenize traceback
"""


def base_of(program: Program) -> str:
    """What is to be loaded before a program, its own base included."""
    texts = [program.source, *(data.decode("latin-1") for data in program.jail.files.values())]
    imports = [line for text in texts for line in text.splitlines() if "import" in line]
    for modules, names in _NAMED.items():
        if any(map(names.search, imports)):
            return _with_imports(modules, program.base)
    return program.base


def _any_of(modules: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(modules.split())})\b")


_NAMED: Final = {f"{_MORE} {_USUAL}": _any_of(_MORE), _USUAL: _any_of(_USUAL)}


@lru_cache(maxsize=16)
def _with_imports(modules: str, base: str) -> str:
    """The same text for the same base: pools compare and hash it, and it may be long."""
    return f"import {', '.join(modules.split())}\n{base}"
