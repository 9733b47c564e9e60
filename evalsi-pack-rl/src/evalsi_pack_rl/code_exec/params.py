"""What `code-exec-tests` can be told."""

from __future__ import annotations

from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evalsi.core.sandbox import JailSpec, Limits

__all__ = ["JAIL", "CodeExecTestsParams"]

JAIL: Final = JailSpec(
    env={
        "HOME": "/tmp",  # noqa: S108 - the jail's own
        "LANG": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PYTHONHASHSEED": "0",  # the same program gives the same verdict
        "PYTHONUTF8": "1",
    }
)
"""What the jail of a program holds."""


class CodeExecTestsParams(BaseModel):
    """Limits of a case, and how cases are judged and counted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    timeout_s: float = Field(
        default=5.0,
        gt=0,
        le=600,
        description="Seconds of CPU a case; on the clock it may take twice that and one more.",
    )
    memory_mb: int = Field(default=1024, ge=32, description="MiB of memory a case.")
    compare: Literal["exact", "lines", "tokens"] = Field(
        default="lines",
        description="How output is compared: byte for byte; line by line, without trailing white "
        "space and trailing blank lines; or word by word.",
    )
    float_tolerance: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="Absolute or relative difference allowed between words where a number that "
        "is no integer is expected.",
    )
    all_or_nothing: bool = Field(
        default=False, description="1 when every case passes, else 0; stops at the first failure."
    )
    max_cases: int | None = Field(
        default=None, ge=1, description="Cases run at most, chosen by `seed`."
    )
    seed: int = Field(
        default=0, description="Decides with `max_cases` which cases run, whatever the program is."
    )
    integrity: Literal["strict", "allow-weak"] = Field(
        default="strict",
        description="What becomes of a test that only runs in the program's own interpreter: "
        "`strict` refuses it as data that cannot be judged, `allow-weak` runs it there and marks "
        "the score.",
    )
    setup: str = Field(default="", description="Python that runs before the program.")

    @model_validator(mode="after")
    def _tolerance_has_words(self) -> Self:
        if self.float_tolerance is not None and self.compare == "exact":
            raise ValueError(
                "float_tolerance is given and compare is exact; use compare: lines or tokens"
            )
        return self

    def limits(self) -> Limits:
        """The limits of one case."""
        return Limits(wall_s=2 * self.timeout_s + 1, cpu_s=self.timeout_s, memory_mb=self.memory_mb)
