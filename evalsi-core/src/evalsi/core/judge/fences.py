"""A fence around text that may try to speak to the judge."""

from __future__ import annotations

import hashlib

__all__ = ["fenced"]


def fenced(label: str, text: str) -> str:
    """The text between two tags that it cannot hold, so that it cannot end its own fence.

    The tags bear a digest of the text: no text can contain its own, and equal texts give equal
    fences, as caches need it. Instructions can speak of "the text in <label-…>".

    Args:
        label: a word, as "response".
        text: what a model, or anybody, wrote.
    """
    mark = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]
    return f"<{label}-{mark}>\n{text}\n</{label}-{mark}>"
