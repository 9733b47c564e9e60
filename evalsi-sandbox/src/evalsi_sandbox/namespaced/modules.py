"""Which modules stand ready for a program: few in every jail, more where its text names one.

Each fork copies the tables and mappings of all that is loaded, so that what most programs leave
alone is loaded for the others only, and once a jail.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from evalsi.core.sandbox import Program

__all__ = ["base_of"]

_MODULES: Final = """
    array ast base64 calendar cmath copy dataclasses datetime decimal fractions json linecache
    locale numbers pickle random signal socket statistics tokenize traceback
""".split()  # noqa: SIM905 - a list would take a screen
_NAMED: Final = re.compile(rf"\b(?:{'|'.join(_MODULES)})\b")
_IMPORT: Final = f"import {', '.join(_MODULES)}\n"


def base_of(program: Program) -> str:
    """What is to be loaded before a program, its own base included."""
    texts = [program.source, *(data.decode("latin-1") for data in program.jail.files.values())]
    return _with_imports(program.base) if any(map(_NAMED.search, texts)) else program.base


@lru_cache(maxsize=16)
def _with_imports(base: str) -> str:
    """The same text for the same base: pools compare and hash it, and it may be long."""
    return _IMPORT + base
