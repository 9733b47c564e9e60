"""Weights that are NaN, found before a server is started for them.

A server answers for such a model as for any other, with one token again and again. One optimizer
step with a gradient that is NaN spoils every tensor, so the small ones are enough to tell.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

from evalsi.training.serving.contract import ServingError
from evalsi.training.serving.pickled import storages_of

__all__ = ["refuse_nan"]

_MOST: Final = 256 * 1024 * 1024  # bytes that are looked at
_HEADER: Final = 100 * 1000 * 1000  # bytes; the format's own limit
_FLOATS: Final = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "BF16": "<u2"}


@dataclass(frozen=True, slots=True)
class _Tensor:
    file: Path
    name: str
    form: str
    begin: int
    size: int


def refuse_nan(folder: Path) -> None:
    """Refuses a model or adapter whose weights hold NaN; the smallest tensors are read first.

    Raises:
        ServingError: naming the tensor; or a file of weights is broken.
    """
    left = _MOST
    for tensor in sorted(_tensors(folder), key=lambda tensor: tensor.size):
        left -= tensor.size
        if left < 0:
            return
        if _has_nan(tensor):
            raise ServingError(f"{tensor.file} holds NaN in {tensor.name}: its training diverged")


def _tensors(folder: Path) -> Iterator[_Tensor]:
    for pattern, of_file, what in _FORMATS:
        for file in sorted(folder.glob(pattern)):
            try:
                yield from of_file(file)
            except (OSError, ValueError, KeyError, TypeError, AttributeError, BadZipFile) as error:
                raise ServingError(f"{file} cannot be read as {what}: {error}") from error


def _of_file(file: Path) -> Iterator[_Tensor]:
    """Source: https://huggingface.co/docs/safetensors/index, section Format."""
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        if length > min(_HEADER, file.stat().st_size):
            raise ValueError("its header is cut off")
        header = json.loads(opened.read(length))
    for name, row in header.items():
        if name != "__metadata__" and row["dtype"] in _FLOATS:
            begin, end = row["data_offsets"]
            if not 0 <= begin <= end:
                raise ValueError(f"{name} ends before it begins")
            yield _Tensor(file, name, _FLOATS[row["dtype"]], 8 + length + begin, end - begin)


def _pickled(file: Path) -> Iterator[_Tensor]:
    for one in storages_of(file):
        yield _Tensor(file, f"storage {one.name}", one.form, one.begin, one.size)


_FORMATS: Final = (
    ("*.safetensors", _of_file, "safetensors"),
    ("pytorch_model*.bin", _pickled, "what torch saves"),
    ("adapter_model.bin", _pickled, "what torch saves"),
)


def _has_nan(tensor: _Tensor) -> bool:
    import numpy as np

    form = np.dtype(tensor.form)
    values = np.fromfile(tensor.file, form, count=tensor.size // form.itemsize, offset=tensor.begin)
    if form.kind == "u":  # bfloat16, which numpy does not know: exponent full, fraction not 0
        return bool(((values & 0x7FFF) > 0x7F80).any())
    return bool(np.isnan(values).any())
