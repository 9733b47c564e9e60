"""Places where checkpoints appear."""

from __future__ import annotations

from evalsi.training.sources.contract import CheckpointSource, Found, SourceError
from evalsi.training.sources.directory import Directory

__all__ = ["CheckpointSource", "Directory", "Found", "SourceError"]
