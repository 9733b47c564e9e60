"""Places where checkpoints appear."""

from __future__ import annotations

from evalsi.training.sources.cache import Cache
from evalsi.training.sources.contract import CheckpointSource, Found, Settling, SourceError
from evalsi.training.sources.directory import Directory
from evalsi.training.sources.fetching import Fetching, fetched
from evalsi.training.sources.locations import source_at

__all__ = [
    "Cache",
    "CheckpointSource",
    "Directory",
    "Fetching",
    "Found",
    "Settling",
    "SourceError",
    "fetched",
    "source_at",
]
