"""What a serving strategy is: a context in which a checkpoint answers as a model.

    class Mine:
        @contextmanager
        def serve(self, checkpoint, name):
            yield Served("http://127.0.0.1:8000/v1", name)

`evalsi.training.testing.check_serving` tries whether a strategy keeps what is promised here.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from evalsi.core.errors import EvalsiError

__all__ = ["Served", "ServingError", "ServingStrategy"]


class ServingError(EvalsiError):
    """A checkpoint could not be served; the message ends with the server's own last words."""

    kind = "server"


@dataclass(frozen=True, slots=True)
class Served:
    """Where a checkpoint answers.

    Attributes:
        base_url: of an OpenAI-compatible API, as `http://127.0.0.1:8000/v1`.
        model: the name by which that API knows it.
        api_key_env: the environment variable that holds its key; None: what the spec's target says.
    """

    base_url: str
    model: str
    api_key_env: str | None = None


class ServingStrategy(Protocol):
    """What a plugin of the kind `serving` is."""

    def serve(self, checkpoint: str, name: str) -> AbstractContextManager[Served]:
        """Serves a checkpoint until the context ends.

        Args:
            checkpoint: a folder, or a model's name where the strategy takes one.
            name: `<training run>-<step>`, by which the model may be called.

        Raises:
            ServingError: it cannot be served, and why.
        """
        ...
