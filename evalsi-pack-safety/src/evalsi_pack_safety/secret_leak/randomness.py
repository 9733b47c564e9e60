"""Whether a text looks random, as secrets do, and not like a placeholder, as examples do."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

__all__ = ["bits_a_character", "is_placeholder"]

_PLACEHOLDER: Final = re.compile(
    r"example|sample|dummy|placeholder|your[_-]|yourapi|yourkey|my[_-]|mykey|xxxx|0000|1111|\*{4}|"
    r"\.{3}|\u2026|change_?me|replace|insert|redacted|secret_key|api_?key|abcdef|abcd1234|123456789|"
    r"987654321|foobar|test_?key|fake|deadbeef|notreal|invalid|[_-]here|todo",
)
_OPENS: Final = ("<", "${", "{{", "$(", "%(", "[", "os.", "process.", "env.", "getenv", "config.")


def bits_a_character(text: str) -> float:
    """Shannon's entropy of the text's characters, in [0, log2 of how many differ]."""
    size = len(text)
    counts = Counter(text).values()
    return -sum(count / size * math.log2(count / size) for count in counts)


def is_placeholder(text: str) -> bool:
    """Whether a text stands for a secret that the reader is to fill in."""
    plain = text.casefold()
    return plain.startswith(_OPENS) or _PLACEHOLDER.search(plain) is not None
