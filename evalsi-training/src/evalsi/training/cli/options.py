"""What the commands on checkpoints have in common."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import click

from evalsi.core.cli.exits import ExitCode

if TYPE_CHECKING:
    from evalsi.training.curve import Curve
    from evalsi.training.evaluator import CheckpointEvaluator
    from evalsi.training.serving import ServingStrategy

__all__ = ["evaluator_of", "exit_of", "served", "shared", "show"]

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("-f", "--file", "spec", required=True, metavar="SPEC", help="An EvalRun."),
    click.option("--training-run", required=True, metavar="NAME", help="Whose steps these are."),
    click.option(
        "--log-dir",
        default="evalsi-training",
        show_default=True,
        metavar="DIR",
        help="Where training runs are kept.",
    ),
    click.option(
        "--regression",
        multiple=True,
        metavar="METRIC[:MAX_DROP]",
        help="Fail where a metric is significantly below the base's, by more; repeatable.",
    ),
    click.option(
        "--confirm",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Regressions in a row, of one metric, that make exit code 3.",
    ),
    click.option("--format", "form", type=click.Choice(["table", "json"]), default="table"),
)


_FLAGS: Final = {"base_url": "--base-url", "model": "--model", "args": "--serve-arg"}

_SERVING = (
    click.option(
        "--serve",
        default="vllm",
        show_default=True,
        metavar="STRATEGY",
        help="How a checkpoint becomes a model that answers: vllm, lora, endpoint, transformers, "
        "or what another pack registers.",
    ),
    click.option("--base-url", metavar="URL", help="lora, endpoint: of the API that serves."),
    click.option("--model", metavar="NAME", help="endpoint: the API's name for the checkpoint."),
    click.option(
        "--serve-arg",
        "--vllm-arg",
        "args",
        multiple=True,
        metavar="WORD",
        help="vllm, transformers: a further word for the command that serves; repeatable.",
    ),
)


def shared(command: F) -> F:
    """Adds the options that every command on checkpoints has."""
    return _with(_OPTIONS, command)


def served(command: F) -> F:
    """Adds the options of a command that evaluates."""
    return _with(_SERVING, command)


def evaluator_of(  # noqa: PLR0913 - the options of `shared` and `served`
    *,
    spec: str,
    training_run: str,
    log_dir: str,
    regression: tuple[str, ...],
    confirm: int,
    serve: str,
    **serving: Any,
) -> CheckpointEvaluator:
    """What these options describe."""
    from evalsi.training.evaluator import CheckpointEvaluator

    return CheckpointEvaluator(
        spec,
        training_run=training_run,
        serving=_strategy(serve, {name: value for name, value in serving.items() if value}),
        log_dir=log_dir,
        regression=regression,
        confirm=confirm,
    )


def _strategy(name: str, options: dict[str, Any]) -> ServingStrategy:
    """A strategy takes those options that its class has as parameters, by their names."""
    from evalsi.core.plugins import default_host

    made = cast("Callable[..., ServingStrategy]", default_host().load("serving", name))
    takes = inspect.signature(made).parameters
    needs = {option for option, known in takes.items() if known.default is known.empty}
    for wrong, what in (
        (options.keys() - takes.keys(), "takes no"),
        (needs - options.keys(), "needs"),
    ):
        if wrong:
            told = ", ".join(_FLAGS.get(option, option) for option in sorted(wrong))
            raise click.UsageError(f"--serve {name} {what} {told}")
    return made(**options)


def _with(options: Sequence[Callable[[F], F]], command: F) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def show(curve: Curve, form: str) -> None:
    """Prints a curve on stdout."""
    from evalsi.training.table import row_of, table

    if form == "json":
        click.echo(json.dumps(row_of(curve)))
        return
    for line in table(curve):
        click.echo(line)


def exit_of(curve: Curve) -> ExitCode:
    """By the latest step: 4 when it could not be judged, 3 when it regressed or a gate failed."""
    latest = curve.latest or curve.results[-1]
    if latest.status in ("error", "incomplete"):
        return ExitCode.INFRASTRUCTURE
    if curve.regressed or latest.status == "failed":
        return ExitCode.REGRESSION
    return ExitCode.OK
