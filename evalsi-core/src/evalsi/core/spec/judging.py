"""The judge of a spec, found once and only when an evaluator needs one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalsi.core.errors import SpecError
from evalsi.core.evaluator import Need, Tools
from evalsi.core.spec.bound import Ref

if TYPE_CHECKING:
    from evalsi.core.judge import Judge
    from evalsi.core.spec.document import Document

__all__ = ["SpecJudge", "with_judge"]


class SpecJudge:
    """What a spec's `judge`, or the environment, names.

    Args:
        document: the spec; None when it is not valid.
    """

    def __init__(self, document: Document[Any] | None) -> None:
        self._document = document
        self._found: Judge | None = None
        self._error: SpecError | None = None
        self._sought = False

    def find(self) -> Judge | None:
        """The judge, or None where none is named.

        Raises:
            SpecError: its settings are wrong, the same each time; without issues where the spec's
                own tell it.
        """
        if not self._sought:
            self._sought = True
            try:
                self._found = self._seek()
            except SpecError as error:
                self._error = error
        if self._error is not None:
            raise self._error
        return self._found

    def _seek(self) -> Judge | None:
        from evalsi.core.judge import find_judge

        if self._document is None:
            raise SpecError(())
        return find_judge(getattr(self._document.spec, "judge", None))


def with_judge(
    tools: Callable[[Ref, frozenset[Need]], Tools], judge: SpecJudge
) -> Callable[[Ref, frozenset[Need]], Tools]:
    """Those tools, and the spec's judge for who needs one and was given none."""

    def give(ref: Ref, needs: frozenset[Need]) -> Tools:
        given = tools(ref, needs)
        if Need.JUDGE not in needs or given.judge is not None:
            return given
        return replace(given, judge=judge.find())

    return give
