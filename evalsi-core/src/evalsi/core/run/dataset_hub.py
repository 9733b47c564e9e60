"""Rows of a dataset of the Hugging Face hub, through its own library and its local cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from evalsi.core.errors import DataError
from evalsi.core.run.dataset_files import plain
from evalsi.core.run.dataset_source import Numbered

__all__ = ["hub_rows"]

_KNOWN: Final = ("config", "split", "revision")


def hub_rows(uri: str) -> Iterator[Numbered]:
    """The rows of `hf://owner/name?config=&split=&revision=`; the split is `test` by default.

    With `HF_HUB_OFFLINE=1` only the local cache is read.

    Raises:
        DataError: the URI is not of that form, the library is not there, or it failed.
    """
    parts = urlsplit(uri)
    options = dict(parse_qsl(parts.query))
    unknown = [name for name in options if name not in _KNOWN]
    name = parts.netloc + parts.path.rstrip("/")
    if unknown or not name:
        raise DataError(
            f"{uri} is no dataset of the hub; write hf://owner/name?config=…&split=…"
            + (f", without {', '.join(unknown)}" if unknown else "")
        )
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise DataError(f"{uri} needs datasets: pip install 'evalsi-core[hf]'") from error
    try:
        rows = load_dataset(
            name,
            options.get("config"),
            split=options.get("split", "test"),
            revision=options.get("revision"),
        )
    except Exception as error:
        raise DataError(f"{uri} cannot be loaded: {type(error).__name__}: {error}") from error
    return ((number, plain(row)) for number, row in enumerate(rows, 1))
