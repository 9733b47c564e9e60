"""A model that somebody serves already."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from evalsi.training.serving.contract import Served

__all__ = ["Endpoint"]


class Endpoint:
    """A server that has the checkpoint loaded, whoever started it.

    Args:
        base_url: of its OpenAI-compatible API.
        model: its name for the model; by default the checkpoint as it was given.
        api_key_env: the environment variable that holds its key.
    """

    def __init__(
        self, base_url: str, model: str | None = None, *, api_key_env: str | None = None
    ) -> None:
        self._base_url = base_url
        self._model = model
        self._api_key_env = api_key_env

    @contextlib.contextmanager
    def serve(self, checkpoint: str, name: str) -> Iterator[Served]:  # noqa: ARG002 - the contract
        """The endpoint as it is; it is not ours to stop."""
        yield Served(self._base_url, self._model or checkpoint, self._api_key_env)
