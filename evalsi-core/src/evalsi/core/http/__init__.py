"""Servers that are asked over HTTP: one client for models, judges and remote rewards.

    server = Server("http://localhost:8000/classify", {"x-api-key": key}, secret=key)
    answer = await retried(partial(server.post, body), Budgets(timeout_s=10))

Failures are `ServerError`s with a cause; what a redirect points at is not followed.
"""

from __future__ import annotations

from evalsi.core.errors import ServerError
from evalsi.core.http.retry import Budgets, retried
from evalsi.core.http.server import Server

__all__ = ["Budgets", "Server", "ServerError", "retried"]
