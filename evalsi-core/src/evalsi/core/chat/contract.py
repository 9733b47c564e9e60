"""What crosses the boundary to a model: a request, an output, and the protocol of a connector.

    class Shout:
        def __init__(self, params):
            self._params = params

        async def generate(self, request):
            return Output(request.input.upper())

        async def aclose(self):
            pass

A connector that could not get an output raises `ServerError`; an output is only what a model gave,
also when it is empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from evalsi.core.results import JSON

__all__ = ["Connector", "Output", "Request", "Sampling"]

_NOTHING: Final[Mapping[str, JSON]] = {}


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    Attributes:
        input: the prompt as text.
        messages: chat messages as the dataset holds them, which then stand for the prompt; or None.
        sample: which trial of the record this is, from 0; it is added to a fixed seed.
        id: the record's id, for connectors that look outputs up.
    """

    input: str
    messages: JSON = None
    sample: int = 0
    id: str = ""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model is asked to choose its words; what is None is left to the server.

    Attributes:
        model: the server's name for the model.
        temperature: 0 is greedy.
        max_tokens: most tokens of an output.
        top_p: share of probability that is drawn from.
        stop: texts that end an output.
        seed: of the first trial; further trials count up from it.
        extra: further fields of the request's body, as the server names them.
    """

    model: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    extra: Mapping[str, JSON] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, slots=True)
class Output:
    """What a model gave for one request.

    Attributes:
        text: may be empty: a model may choose to say nothing.
        finish: why it ended: `stop`, `length`, or another word of the server's.
        input_tokens: tokens of the prompt, where the server counts them.
        output_tokens: tokens of the text, where the server counts them.
        seconds: from the request that was answered to its last byte; waits and tries before it
            do not count.
    """

    text: str
    finish: str = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float = 0.0

    @property
    def truncated(self) -> bool:
        """Whether the limit on tokens ended it."""
        return self.finish == "length"

    @property
    def empty(self) -> bool:
        """Whether it holds white space at most."""
        return not self.text.strip()


class Connector(Protocol):
    """What a plugin of the kind `connector` is: a class, made with its validated `Params`.

    A class attribute `paths` names those of its params that are files, which a spec states
    relative to itself.
    """

    async def generate(self, request: Request) -> Output:
        """The model's output; called many times at once, from one event loop.

        Raises:
            ServerError: no output was got, and why.
        """
        ...

    async def aclose(self) -> None:
        """Lets go of what is open; the connector is not used again."""
        ...
