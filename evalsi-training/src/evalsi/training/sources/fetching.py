"""A checkpoint that lies in a store, as a folder of this machine while it is evaluated."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from pathlib import Path

from evalsi.core.errors import EvalsiError
from evalsi.training.serving.contract import Served, ServingError, ServingStrategy
from evalsi.training.sources.cache import Cache
from evalsi.training.sources.contract import SourceError
from evalsi.training.sources.files import RemoteFolder, needed
from evalsi.training.sources.locations import scheme_of
from evalsi.training.sources.whole import model_in

__all__ = ["Fetching", "fetched"]


class Fetching:
    """A serving strategy that has what lies in a store downloaded first.

    Args:
        strategy: serves what is there then.
        cache: where downloads lie.
    """

    def __init__(self, strategy: ServingStrategy, cache: Cache) -> None:
        self._strategy = strategy
        self._cache = cache

    @contextlib.contextmanager
    def serve(self, checkpoint: str, name: str) -> Iterator[Served]:
        """As `ServingStrategy.serve`; raises `SourceError` where the store cannot be asked."""
        with contextlib.ExitStack() as held:
            place = held.enter_context(fetched(checkpoint, self._cache))
            with _told(self._strategy):
                served = held.enter_context(self._strategy.serve(place, name))
            yield served


@contextlib.contextmanager
def _told(strategy: ServingStrategy) -> Iterator[None]:
    """Makes a `ServingError` of whatever a stranger's strategy raises: it ends no watch."""
    try:
        yield
    except EvalsiError:
        raise
    except Exception as error:
        name = type(strategy).__name__
        raise ServingError(f"{name} failed: {type(error).__name__}: {error}") from error


@contextlib.contextmanager
def fetched(checkpoint: str, cache: Cache) -> Iterator[str]:
    """What a serving strategy is given for a checkpoint, while the block runs.

    A model's name is given as it is, and so is a path of this machine, or the place within it where
    its trainer put a whole model. What lies at a URL, and `mlflow:<model>/<version>`, is a folder
    of the cache: the files that serving needs.

    Raises:
        SourceError: it cannot be had now.
        SpecError: what it needs is not installed or not set.
    """
    folder = _folder_of(checkpoint)
    if folder is None or isinstance(folder, Path):
        yield _place_in(checkpoint if folder is None else str(folder))
        return
    files = needed(folder.files())
    if not files:
        raise SourceError(f"{checkpoint} is not there, or holds nothing that can be served")

    def fetch(names: Collection[str], into: Path) -> None:
        folder.fetch(names, into)
        if needed(folder.files()) != files:
            raise SourceError(f"{checkpoint} changed while it was downloaded")

    with cache.holding(checkpoint, files, fetch) as place:
        yield str(place)


def _place_in(checkpoint: str) -> str:
    place = model_in(Path(checkpoint))
    return checkpoint if place in (None, Path(checkpoint)) else str(place)


def _folder_of(checkpoint: str) -> RemoteFolder | Path | None:
    """Where it lies; None where it is no place in a store."""
    scheme = scheme_of(checkpoint)
    if scheme == "mlflow":
        from evalsi.training.sources.mlflow import VersionFolder

        return VersionFolder(checkpoint)
    if scheme is None or not checkpoint.startswith(f"{scheme}://"):
        return None
    if scheme == "hf":
        from evalsi.training.sources.huggingface import hub_folder

        return hub_folder(checkpoint)
    from evalsi.training.sources.fsspec import StoreFolder, knows, opened

    return StoreFolder(*opened(checkpoint)).model() if knows(scheme) else None
