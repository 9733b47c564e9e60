"""Files that other processes and users read appear whole, with the mode that any new file gets."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["appearing"]


@contextlib.contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """A path to write in the block; when the block ends well, it is at `path`.

    Raises:
        FileExistsError: `path` is taken: a file that waits to be evaluated is not replaced.
    """
    if path.exists():
        raise FileExistsError(f"{path} is there already; give every step a path of its own")
    path.parent.mkdir(parents=True, exist_ok=True)
    fd, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(fd)
    half = Path(name)
    try:
        yield half
        umask = os.umask(0)
        os.umask(umask)
        half.chmod(0o666 & ~umask)
        half.rename(path)
    except BaseException:
        half.unlink(missing_ok=True)
        raise
