"""What the pydantic models of all kinds of spec have in common."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from evalsi.core.results import JSON
from evalsi.core.spec.bound import Ref
from evalsi.core.spec.issues import Issue

__all__ = ["NAME", "Body", "Name", "Number", "SpecModel"]


class SpecModel(BaseModel):
    """Frozen, strict (text is no number, true is not 1), camelCase in text, no unknown field."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, alias_generator=to_camel)


NAME: Final = re.compile(r"\w[\w.-]*")

Number: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
Name: TypeAlias = Annotated[
    str, Field(pattern=f"^{NAME.pattern}$", max_length=128, description="letters, digits, . - _")
]


class Body(SpecModel):
    """The `spec` of a document; the class's name is the document's `kind`."""

    default_name: ClassVar[str] = "unnamed"

    def refs(self) -> list[Ref]:
        """The uses of evaluators in this spec, in its order."""
        return []

    @classmethod
    def salvage(cls, body: JSON) -> tuple[list[Ref], list[Issue]]:
        """What can still be checked in a body that is not valid.

        So that one report names everything: the refs that stand on their own, and issues between
        parts that pydantic leaves out when a part is wrong.
        """
        del body
        return [], []
