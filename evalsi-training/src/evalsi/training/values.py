"""One step's values, a number a record and metric, as columns that are compared at once.

The only file that reads and writes them: an uncompressed `.npz`, without pickles.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from evalsi.core.durable import publishing_bytes
from evalsi.core.errors import DataError

__all__ = ["Column", "StepValues"]

Column: TypeAlias = npt.NDArray[np.float64]

_IDS: Final = "ids"
_CLUSTERS: Final = "clusters"
_METRIC: Final = "metric "


@dataclass(frozen=True, slots=True, eq=False)
class StepValues:
    """What one step's records were measured to be.

    Attributes:
        ids: the records, in the panel's order.
        columns: by metric, a value a record; NaN where nothing was measured.
        clusters: the cluster of each record, or None; empty where the run has none.
    """

    ids: tuple[str, ...]
    columns: Mapping[str, Column]
    clusters: tuple[str | None, ...] = ()

    def save(self, path: Path) -> None:
        """Writes them, whole or not at all."""
        arrays: dict[str, Any] = {_METRIC + name: column for name, column in self.columns.items()}
        arrays[_IDS] = _text(self.ids)
        arrays[_CLUSTERS] = _text(self.clusters)
        packed = io.BytesIO()
        np.savez(packed, **arrays)
        with publishing_bytes(path) as file:
            file.write(packed.getbuffer())

    @classmethod
    def load(cls, path: Path) -> StepValues:
        """Reads them.

        Raises:
            DataError: there is no such file, or it is broken.
        """
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
                columns = {
                    name.removeprefix(_METRIC): held[name].astype(np.float64, copy=False)
                    for name in held.files
                    if name.startswith(_METRIC)
                }
                return cls(_items(held[_IDS]), columns, _items(held[_CLUSTERS]))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise DataError(
                f"{path} cannot be read: {error}; remove the step's .json beside it, and evaluate "
                f"the step again: what it answered is not asked again"
            ) from error


def _text(items: Sequence[str | None]) -> npt.NDArray[np.uint8]:
    return np.frombuffer(json.dumps(items).encode(), np.uint8)


def _items(text: npt.NDArray[np.uint8]) -> tuple[Any, ...]:
    return tuple(json.loads(text.tobytes()))
