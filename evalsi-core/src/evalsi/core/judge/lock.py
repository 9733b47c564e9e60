"""The lock of what a judge shares between threads: its counts, its kept verdicts, its pace.

One for all, held for moments, and free in a forked child: a fork waits for whoever holds it.
"""

from __future__ import annotations

import os
import threading
from typing import Final

__all__ = ["LOCK"]

LOCK: Final = threading.Lock()

os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)
