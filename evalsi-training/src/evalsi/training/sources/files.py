"""What a checkpoint that is not on this machine is: a listing of files, to be fetched."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from evalsi.core.errors import EvalsiError
from evalsi.training.sources.contract import SourceError

__all__ = ["RemoteFile", "RemoteFolder", "asking", "needed", "shown"]

_SHOWN: Final = 400
# No separator, nothing hidden: whatever a listing claims, such a name stays in its folder.
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+@= -]{0,200}", re.ASCII)
_ENDINGS: Final = frozenset(
    {
        ".bin",
        ".bpe",
        ".jinja",
        ".json",
        ".model",
        ".py",
        ".safetensors",
        ".spm",
        ".tiktoken",
        ".txt",
    }
)
_OF_TRAINER: Final = re.compile(
    r"(?:optimizer|scheduler|scaler|rng_state|random_states|trainer_state|training_args)"
)
_SAFE_WEIGHTS: Final = (
    "model.safetensors",
    "model.safetensors.index.json",
    "adapter_model.safetensors",
)


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file as its store lists it.

    Attributes:
        size: bytes.
        version: what changes with its content: an ETag, a generation, a time; "" where the
            store tells none.
        digest: algorithm and hex digest of its content; None where the store tells none.
    """

    size: int
    version: str = ""
    digest: tuple[str, str] | None = None


class RemoteFolder(Protocol):
    """A checkpoint in a store."""

    def files(self) -> Mapping[str, RemoteFile]:
        """What it holds now, by path under it; nothing where it is not there.

        Raises:
            SourceError: the store cannot be asked.
        """
        ...

    def fetch(self, names: Collection[str], into: Path) -> None:
        """Writes some of its files into a folder that is there and empty; raises SourceError."""
        ...


def needed(files: Mapping[str, RemoteFile]) -> dict[str, RemoteFile]:
    """The files that serving a checkpoint needs, out of all that it holds.

    Those directly in it that are configuration, tokenizer, code or weights; no state of the
    trainer's; of weights in two forms the safetensors alone.
    """
    safe = any(name in files for name in _SAFE_WEIGHTS)
    return {
        name: file
        for name, file in files.items()
        if _NAME.fullmatch(name)
        and (ending := Path(name).suffix) in _ENDINGS
        and not _OF_TRAINER.match(name)
        and not (safe and ending == ".bin")
    }


@contextlib.contextmanager
def asking(place: str) -> Iterator[None]:
    """Makes a `SourceError` of whatever a store's client raises: each has errors of its own."""
    try:
        yield
    except EvalsiError:
        raise
    except Exception as error:
        raise SourceError(f"{place}: {type(error).__name__}: {shown(error)}") from error


def shown(error: Exception) -> str:
    """What a client says, in a line that is not long, without what may open a store.

    That is what stands before the host of an address, and what may sign a request behind a
    question mark.
    """
    told = " ".join(str(error).split()) or "it says no more"
    return re.sub(r"\?\S+", "?…", re.sub(r"://[^/@\s]+@", "://", told))[:_SHOWN]
