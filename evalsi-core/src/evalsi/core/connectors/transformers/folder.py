"""The digest of a model's folder: two checkpoints of one training differ in their weights alone."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from evalsi.core.spec.files import content_digest

__all__ = ["folder_digest"]

_READ: Final = ("*.json", "*.jinja", "*.model", "*.safetensors", "*.txt", "pytorch_model*.bin")
_OF_TRAINING: Final = frozenset({"trainer_state.json", "all_results.json", "train_results.json"})


def folder_digest(folder: Path) -> str:
    """`sha256:` and the digest of what a model is loaded from: weights, tokenizer, settings.

    The optimizer's state and the trainer's, which lie beside them, are left out. Every byte is
    read, several files at once.

    Raises:
        OSError: a file cannot be read.
    """
    found = {path for pattern in _READ for path in folder.glob(pattern) if path.is_file()}
    files = sorted(path for path in found if path.name not in _OF_TRAINING)
    with ThreadPoolExecutor(4) as threads:
        digests = list(threads.map(content_digest, files))
    lines = "".join(f"{path.name} {digest}\n" for path, digest in zip(files, digests, strict=True))
    return f"sha256:{hashlib.sha256(lines.encode(errors='surrogateescape')).hexdigest()}"
