"""Which judge there is: a spec's own, over what the environment says; never one by default."""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from evalsi.core.errors import SpecError
from evalsi.core.judge.config import JudgeConfig
from evalsi.core.judge.served import ServedJudge

__all__ = ["find_judge"]

_PREFIX: Final = "EVALSI_JUDGE_"
_KEY: Final = "EVALSI_JUDGE_API_KEY"
_MAPPINGS: Final = ("extra_body", "retries", "stop")


def find_judge(
    written: JudgeConfig | str | None, environ: Mapping[str, str] = os.environ
) -> ServedJudge | None:
    """The judge, or None when neither the spec nor the environment names one.

    Args:
        written: a spec's `judge`; its fields come before those of the environment.
        environ: `EVALSI_JUDGE_<FIELD>` for each field of `JudgeConfig`, and
            `EVALSI_JUDGE_API_KEY` for the key itself. That key goes to the address that the
            environment names, never to one that only a spec names.

    Raises:
        SpecError: the settings are not complete, or not valid; or a name, which only a server has
            judges for; or the key is not there.
    """
    if isinstance(written, str):
        raise SpecError(
            f'"{written}" is the name of a judge that a server would have; '
            "here give its settings: model, base_url"
        )
    given = _of_environment(environ)
    if written is not None:
        given = _joined(given, written.model_dump(exclude_unset=True))
    if not given:
        return None
    missing = [name for name in ("model", "base_url") if not given.get(name)]
    if missing:
        raise SpecError(
            f"the judge has no {' and no '.join(missing)}; "
            f"give it in the spec's `judge` or as {_PREFIX}{missing[0].upper()}"
        )
    return ServedJudge(_valid(given))


def _joined(environment: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
    elsewhere = "base_url" in written and written["base_url"] != environment.get("base_url")
    if elsewhere and environment.get("api_key_env") == _KEY:
        del environment["api_key_env"]
    return environment | written


def _of_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    fields = JudgeConfig.model_fields
    given: dict[str, Any] = {}
    for name in sorted(environ):
        if not name.startswith(_PREFIX) or not environ[name].strip():
            continue
        field = name.removeprefix(_PREFIX).lower()
        if name == _KEY:
            given.setdefault("api_key_env", _KEY)
        elif field in fields:
            given[field] = _value(name, field, environ[name])
        else:
            close = get_close_matches(field, fields, 1)
            hint = f"; did you mean {_PREFIX}{close[0].upper()}?" if close else ""
            raise SpecError(f"{name} is no setting of a judge{hint}")
    return given


def _value(name: str, field: str, text: str) -> Any:
    if field not in _MAPPINGS:
        return text
    try:
        return TypeAdapter(Any).validate_json(text)
    except ValidationError as error:
        raise SpecError(f"{name} is no JSON; give a mapping or a list as JSON") from error


def _valid(given: Mapping[str, Any]) -> JudgeConfig:
    try:
        return JudgeConfig.model_validate(given, strict=False)
    except ValidationError as error:
        told = [
            f"judge.{'.'.join(map(str, one['loc']))}: {one['msg']}"
            for one in error.errors(include_url=False, include_input=False)
        ]
        raise SpecError(told) from error
