"""What a judge was asked and cost, told on stderr: a judge may be billed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from evalsi.core.judge import Judge, Usage

__all__ = ["usage_told"]


@contextlib.contextmanager
def usage_told(judge: Judge | None) -> Iterator[None]:
    """Prints behind the block, however it ends, what a judge did, if one was asked."""
    try:
        yield
    finally:
        if judge is not None and judge.usage.questions:
            click.echo(f"judge {judge.name}: {_told(judge.usage)}", err=True)


def _told(usage: Usage) -> str:
    asides = {"kept": usage.cached, "failed": usage.failed}
    told = ", ".join(f"{count} {word}" for word, count in asides.items() if count)
    words = [
        f"{usage.questions} questions{f' ({told})' if told else ''}",
        f"{usage.requests} requests",
        f"{usage.input_tokens} tokens in",
        f"{usage.output_tokens} tokens out",
    ]
    if usage.uncounted:
        words.append(f"{usage.uncounted} answers without a count")
    if usage.cost is not None:
        words.append(f"cost {usage.cost:.4f}")
    return ", ".join(words)
