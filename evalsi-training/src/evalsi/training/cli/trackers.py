"""`--tracker`: where the results of a training run are shown."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evalsi.core.errors import DataError

if TYPE_CHECKING:
    from evalsi.training.trackers import Delivery, Outbox

__all__ = ["Posts", "posts_of", "tracked"]

F = TypeVar("F", bound=Callable[..., Any])


def tracked(*, required: bool = False) -> Callable[[F], F]:
    """Adds the options of a command that publishes."""

    def added(command: F) -> F:
        arg = click.option(
            "--tracker-arg",
            "tracker_args",
            multiple=True,
            metavar="KEY=VALUE",
            help="An option of a tracker, such as run_id=…, run=…, folder=…; repeatable.",
        )
        tracker = click.option(
            "--tracker",
            "trackers",
            multiple=True,
            required=required,
            metavar="NAME",
            help="Send results to mlflow, wandb, tensorboard, or what another pack registers; "
            "repeatable.",
        )
        return tracker(arg(command))

    return added


class Posts:
    """The deliveries of one command.

    Attributes:
        left: whether something was not confirmed at the end.
    """

    def __init__(self, deliveries: list[Delivery]) -> None:
        self._deliveries = deliveries
        self.left = False

    @property
    def confirmed(self) -> int:
        """How many messages were confirmed."""
        return sum(delivery.confirmed for delivery in self._deliveries)

    def look(self) -> None:
        """Sends what is new, and what failed some time ago."""
        for delivery in self._deliveries:
            delivery.look()

    def sleep(self, seconds: float) -> None:
        """Waits, after trying again what failed before."""
        self.look()
        time.sleep(seconds)

    def finish(self) -> None:
        """Sends what is left."""
        through = [delivery.finish() for delivery in self._deliveries]
        self.left = not all(through)

    def drop(self) -> None:
        """Ends without a further try."""
        for delivery in self._deliveries:
            delivery.tracker.close()


@contextlib.contextmanager
def posts_of(
    outbox: Outbox,
    fill: Callable[[], None],
    trackers: tuple[str, ...],
    tracker_args: tuple[str, ...],
) -> Iterator[Posts]:
    """What a command publishes to, until its block ends; what fails is told on stderr.

    Args:
        outbox: what is published.
        fill: leaves messages that a kill kept from being left, whoever will send them.
        trackers: their names.
        tracker_args: their options, each as `key=value`.

    Raises:
        UsageError: an option has no `=`.
        PluginError: a tracker is unknown.
        SpecError: it cannot be made of these options.
    """
    from evalsi.training.trackers import Delivery, trackers_named

    made = trackers_named(trackers, _options(tracker_args), outbox.folder.parent)
    posts = Posts([Delivery(outbox, tracker, _tell) for tracker in made])
    try:
        fill()
    except DataError as error:  # another process writes there, and leaves them
        _tell(str(error))
    try:
        yield posts
    except BaseException:
        posts.drop()
        raise
    posts.finish()


def _tell(text: str) -> None:
    click.echo(text, err=True)


def _options(words: tuple[str, ...]) -> dict[str, str]:
    options = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not (key and equals):
            raise click.UsageError(f'--tracker-arg "{word}" is no KEY=VALUE')
        options[key] = value
    return options
