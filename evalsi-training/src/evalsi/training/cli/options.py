"""What the commands on checkpoints have in common."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import click

from evalsi.core.cli.exits import ExitCode

if TYPE_CHECKING:
    from evalsi.core.run.plan import Checked
    from evalsi.training.curve import Curve
    from evalsi.training.evaluator import CheckpointEvaluator
    from evalsi.training.gates import RegressionGate
    from evalsi.training.history import History
    from evalsi.training.serving import ServingStrategy
    from evalsi.training.stopping import Patience

__all__ = ["evaluator_of", "exit_of", "judged_by", "served", "shared", "show"]

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
    click.option(
        "--monitor",
        metavar="METRIC[:MIN_DELTA]",
        help="By which the best is chosen and patience counted, and what must be exceeded to "
        "count as better; by default the first --regression, or the spec's only metric.",
    ),
    click.option(
        "--patience",
        type=click.IntRange(min=1),
        metavar="N",
        help="Checkpoints in a row without an improvement after which training should stop.",
    ),
    click.option("--format", "form", type=click.Choice(["table", "json"]), default="table"),
)


_FLAGS: Final = {
    "base_url": "--base-url",
    "model": "--model",
    "api_key_env": "--api-key-env",
    "args": "--serve-arg",
}

_SERVING = (
    click.option(
        "--serve",
        default="vllm",
        show_default=True,
        metavar="STRATEGY",
        help="How a checkpoint becomes a model that answers: vllm, lora, endpoint, transformers, "
        "or what another pack registers.",
    ),
    click.option(
        "--mini",
        type=click.IntRange(min=1),
        metavar="N",
        help="Ask N records first, and the rest of a checkpoint that is not worse than the base.",
    ),
    click.option("--mini-seed", default=0, show_default=True, help="Which records these are."),
    click.option("--base-url", metavar="URL", help="lora, endpoint: of the API that serves."),
    click.option("--model", metavar="NAME", help="endpoint: the API's name for the checkpoint."),
    click.option(
        "--api-key-env",
        metavar="NAME",
        help="vllm, lora, endpoint: the environment variable that holds the API's key.",
    ),
    click.option(
        "--serve-arg",
        "--vllm-arg",
        "args",
        multiple=True,
        metavar="WORD",
        help="vllm, transformers: a further word for the command that serves; repeatable.",
    ),
    click.option(
        "--cache-dir",
        metavar="DIR",
        help="Where checkpoints of s3://, hf:// and the like are downloaded to.",
    ),
    click.option(
        "--cache-gib",
        type=click.FloatRange(min=0),
        default=64.0,
        show_default=True,
        help="What they may take there; the least recently used goes first.",
    ),
)


def shared(command: F) -> F:
    """Adds the options that every command on checkpoints has."""
    return _with(_OPTIONS, command)


def served(command: F) -> F:
    """Adds the options of a command that evaluates."""
    return _with(_SERVING, command)


def judged_by(
    given: Checked,
    history: History,
    regression: Sequence[str],
    monitor: str | None,
    patience: int | None,
) -> tuple[list[RegressionGate], Patience | None]:
    """The gates and the patience by which steps that are there are judged.

    Raises:
        SpecError: one names what the spec does not report.
    """
    from evalsi.training.gates import RegressionGate
    from evalsi.training.identity import check_gates
    from evalsi.training.monitoring import patience_of

    gates, mini = [RegressionGate.parse(text) for text in regression], history.has_mini
    check_gates(given, gates, mini=mini)
    return gates, patience_of(given, gates, monitor, patience, mini=mini)


def evaluator_of(  # noqa: PLR0913 - the options of `shared` and `served`
    *,
    spec: str,
    training_run: str,
    log_dir: str,
    regression: tuple[str, ...],
    confirm: int,
    monitor: str | None,
    patience: int | None,
    mini: int | None,
    mini_seed: int,
    serve: str,
    cache_dir: str | None,
    cache_gib: float,
    **serving: Any,
) -> CheckpointEvaluator:
    """What these options describe."""
    from evalsi.training.evaluator import CheckpointEvaluator
    from evalsi.training.sources import Cache

    return CheckpointEvaluator(
        spec,
        training_run=training_run,
        serving=_strategy(serve, {name: value for name, value in serving.items() if value}),
        log_dir=log_dir,
        regression=regression,
        confirm=confirm,
        monitor=monitor,
        patience=patience,
        mini=mini,
        mini_seed=mini_seed,
        cache=Cache(cache_dir, max_gib=cache_gib),
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
    """By the latest step: 4 when it could not be judged, 3 when it regressed or a gate failed.

    A metric that stands still is no failure.
    """
    latest = curve.latest or curve.results[-1]
    if latest.status in ("error", "incomplete"):
        return ExitCode.INFRASTRUCTURE
    if curve.regressed or latest.status == "failed":
        return ExitCode.REGRESSION
    return ExitCode.OK
