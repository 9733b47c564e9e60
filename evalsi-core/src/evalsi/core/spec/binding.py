"""Binds refs to evaluators: looks each one up, checks its class, its params and its use.

All issues of a spec come together, those of its text and those of its binding.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, cast

from pydantic import BaseModel, ValidationError

from evalsi.core.errors import DataError, EvalsiError, PluginError, SpecError
from evalsi.core.evaluator import Need, Tools
from evalsi.core.plugins import PluginHost, Registered
from evalsi.core.results import JSON, By
from evalsi.core.sandbox import LADDER
from evalsi.core.spec.bound import Bound, Ref
from evalsi.core.spec.contract import (
    BrokenContract,
    Declared,
    by_params,
    declared,
    entry_of,
    params_of,
    paths_of,
)
from evalsi.core.spec.document import Document, enveloped, examine
from evalsi.core.spec.files import content_digest, resolved
from evalsi.core.spec.issues import Issue, did_you_mean, listed, shown
from evalsi.core.spec.judging import SpecJudge, with_judge
from evalsi.core.spec.model import Body
from evalsi.core.spec.source import Given, Source, read
from evalsi.core.spec.validation import issues_of

if TYPE_CHECKING:
    from evalsi.core.judge import Judge

__all__ = ["ToolsFor", "bind", "check", "examine_and_bind", "load_and_bind"]

ToolsFor: TypeAlias = Callable[[Ref, frozenset[Need]], Tools]
"""Gives the tools that a use of an evaluator asks for."""

B = TypeVar("B", bound=Body)

_NO_JUDGE: Final = (
    "there is none by default; give the spec's `judge` a model and a base_url, "
    "or set EVALSI_JUDGE_MODEL and EVALSI_JUDGE_BASE_URL"
)


def load_and_bind(
    source: Given, kind: type[B], *, host: PluginHost, tools: ToolsFor, folder: Path | None = None
) -> tuple[Document[B], list[Bound]]:
    """Loads a spec and binds its refs.

    Args:
        source: a path, a text, or a mapping.
        kind: the body's model.
        host: where evaluators are found.
        tools: what they are handed.
        folder: where relative paths in params start; None: beside the spec's file, and for a text
            or a mapping in the working folder.

    Raises:
        SpecError: every issue of both, each with its place; chained from the first cause.
    """
    opened = enveloped(read(source), kind)
    document, bounds, issues = examine_and_bind(opened, kind, host=host, tools=tools, folder=folder)
    if document is None or issues:
        raise opened.refused(issues)
    return document, bounds


def examine_and_bind(
    opened: Source, kind: type[B], *, host: PluginHost, tools: ToolsFor, folder: Path | None = None
) -> tuple[Document[B] | None, list[Bound], list[Issue]]:
    """The document of a source with its envelope, or None; what can be bound; and the issues."""
    document, refs, issues = examine(opened, kind)
    judging = with_judge(tools, SpecJudge(document))
    bounds, further = check(refs, host, judging, folder or opened.folder)
    return document, bounds, [*dict.fromkeys((*issues, *further))]


def bind(refs: Iterable[Ref], host: PluginHost, tools: ToolsFor) -> list[Bound]:
    """Binds refs.

    Raises:
        SpecError: every issue, by field path.
    """
    bounds, issues = check(refs, host, tools)
    if issues:
        raise Source(None, None).refused(issues)
    return bounds


def check(
    refs: Iterable[Ref], host: PluginHost, tools: ToolsFor, folder: Path = Path()
) -> tuple[list[Bound], list[Issue]]:
    """The refs that can be bound, and the issues of the others; params' files start at `folder`."""
    bounds: list[Bound] = []
    issues: list[Issue] = []
    for ref in refs:
        binder = _Binder(ref, host, tools, folder.absolute())
        bound = binder.bound()
        issues += binder.issues
        if bound is not None and not binder.issues:
            bounds.append(bound)
    return bounds, issues


class _Binder:
    """The binding of one ref."""

    def __init__(self, ref: Ref, host: PluginHost, tools: ToolsFor, folder: Path) -> None:
        self.issues: list[Issue] = []
        self._ref = ref
        self._host = host
        self._tools = tools
        self._folder = folder

    def bound(self) -> Bound | None:
        try:
            plugin = self._host.find("evaluator", self._ref.ref)
            cls = self._host.load("evaluator", plugin.full_name)
        except PluginError as error:
            self._issue(f": {error}", "ref", cause=error)
            return None
        try:
            return self._checked(plugin, cls)
        except BrokenContract as broken:
            origin = f"{plugin.full_name} of {plugin.distribution} {plugin.version}"
            self._issue(f": {origin} ({plugin.target}) {broken}", "ref", cause=broken.__cause__)
            return None

    def _checked(self, plugin: Registered, cls: object) -> Bound | None:
        entry = entry_of(cls)
        kind = cast("type", cls)
        model = params_of(kind)
        paths = paths_of(kind, model)
        self._check_rung_name()
        params = self._params(plugin, model, paths)
        if model is not None and params is None and (hanging := by_params(kind)):
            if "needs" not in hanging:
                self._check_isolation(plugin, frozenset(getattr(kind, "needs", frozenset())))
            return None
        says = declared(kind, plugin.name, params)
        self._check_use(plugin, says)
        settings = None if params is None else params.model_dump(mode="json")
        contents = self._contents(settings or {}, paths)
        judge = self._judge(plugin, entry, says) if Need.JUDGE in says.needs else None
        if self.issues or (judge is None and Need.JUDGE in says.needs):
            return None
        instance = self._instance(plugin, kind, params, says, paths) if says.bounded else None
        return Bound(
            name=self._ref.name,
            by=_by(plugin, settings and {**settings, **contents}, _backend(judge, says.backend)),
            target=plugin.target,
            settings=settings,
            entry=entry,
            fields=says.fields,
            metadata=says.metadata,
            needs=says.needs,
            bounded=says.bounded,
            batch=says.batch,
            metrics=says.metrics,
            about=says.about,
            # An evaluator's own short name is its score's value, which needs no looking up.
            metric=None if self._ref.metric == plugin.name else self._ref.metric,
            min_isolation=self._ref.min_isolation,
            instance=instance,
            judge=judge,
            patience_s=says.patience_s,
        )

    def _params(
        self, plugin: Registered, model: type[BaseModel] | None, paths: tuple[str, ...]
    ) -> BaseModel | None:
        given = resolved(self._ref.params, paths, self._folder)
        if model is None:
            if given:
                self._issue(f": {plugin.full_name} takes no params; remove them", "params")
            return None
        try:
            # Strict JSON: text is no number and true is not 1, yet a list may become a tuple.
            return model.model_validate_json(json.dumps(given), strict=True)
        except ValidationError as error:
            where = (*self._ref.path, "params")
            self.issues += issues_of(error, given, model, where)
            return None

    def _contents(self, settings: Mapping[str, JSON], paths: tuple[str, ...]) -> dict[str, JSON]:
        """What stands for the files among the params: their bytes, wherever they lie."""
        found: dict[str, JSON] = {}
        for name in paths:
            if isinstance(path := settings.get(name), str):
                try:
                    found[name] = f"sha256:{content_digest(Path(path))}"
                except (OSError, ValueError) as error:  # a NUL in a path is a ValueError
                    reason = getattr(error, "strerror", None) or error
                    told = f"is {shown(self._ref.params.get(name, path))}; {path}: {reason}"
                    self._issue(told, "params", name, cause=error)
        return found

    def _check_rung_name(self) -> None:
        rung = self._ref.min_isolation
        if rung is not None and rung not in LADDER:
            hint = did_you_mean(rung, LADDER)
            ladder = " < ".join(LADDER)
            message = f"is {shown(rung)}; it must be a rung of the ladder {ladder}"
            self._issue(message + (hint and ";" + hint), "sandbox", "minIsolation")

    def _check_use(self, plugin: Registered, says: Declared) -> None:
        self._check_isolation(plugin, says.needs)
        metric, known = self._ref.metric, [*says.metrics]
        if metric is not None and metric not in known:
            hint = did_you_mean(metric, known)
            message = f"is {shown(metric)}; {plugin.full_name} reports {listed(known)}"
            self._issue(message + (hint and ";" + hint), "metric")

    def _judge(self, plugin: Registered, entry: str, says: Declared) -> Judge | None:
        if not (says.bounded and entry.startswith("a")):
            told = "asks a judge, so it must be `bounded` and async (ascore…)"
            self._issue(f": {plugin.full_name} {told}", "ref")
            return None
        try:
            judge = self._tools(self._ref, says.needs).judge
        except SpecError as error:
            at = (*self._ref.path[:1], "judge")
            self.issues += [Issue(at, f": {issue}", cause=error) for issue in error.issues]
            return None
        if judge is None:
            self._issue(f": {plugin.full_name} needs a judge, and {_NO_JUDGE}", "ref")
        return judge

    def _check_isolation(self, plugin: Registered, needs: frozenset[Need]) -> None:
        if self._ref.min_isolation is not None and Need.SANDBOX not in needs:
            self._issue(
                f": {plugin.full_name} runs no code; remove `minIsolation`",
                "sandbox",
                "minIsolation",
            )

    def _instance(
        self,
        plugin: Registered,
        cls: type,
        params: BaseModel | None,
        says: Declared,
        paths: tuple[str, ...],
    ) -> object | None:
        tools = self._tools(self._ref, says.needs)
        try:
            instance: object = cls() if params is None else cls(params, tools)
        except Exception as error:
            if isinstance(error, EvalsiError) and not isinstance(error, DataError):
                raise
            self._unmade(plugin, error, paths)
            return None
        return instance

    def _unmade(self, plugin: Registered, error: Exception, paths: tuple[str, ...]) -> None:
        given = [name for name in paths if name in self._ref.params]
        its_file = given if len(given) == 1 and isinstance(error, DataError | OSError) else []
        kind = "" if isinstance(error, DataError) else f"{type(error).__name__}: "
        told = f": {plugin.full_name} cannot be made: {kind}{error}"
        self._issue(told, "params", *its_file, cause=error)

    def _issue(self, message: str, *field: str, cause: BaseException | None = None) -> None:
        self.issues.append(Issue((*self._ref.path, *field), message, cause=cause))


def _backend(judge: Judge | None, own: str) -> str:
    if judge is None:
        return own
    return f"{judge.name} | {own}" if own else judge.name


def _by(plugin: Registered, settings: Mapping[str, Any] | None, backend: str) -> By:
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return By(plugin.full_name, plugin.distribution, plugin.version, digest, "", backend)
