"""Which judge there is: never one by default, and no key where it does not belong."""

from __future__ import annotations

import pytest

from evalsi.core import SpecError
from evalsi.core.judge import JudgeConfig, find_judge

HERE = {"EVALSI_JUDGE_MODEL": "tiny", "EVALSI_JUDGE_BASE_URL": "http://localhost:8000/v1"}


def refused(written, environ):
    with pytest.raises(SpecError) as raised:
        find_judge(written, environ)
    return str(raised.value)


def test_nothing_named_is_no_judge():
    assert find_judge(None, {}) is None
    assert find_judge(None, {"EVALSI_JUDGE_MODEL": " ", "OPENAI_API_KEY": "sk-1"}) is None


def test_the_environment_names_one():
    judge = find_judge(None, {**HERE, "EVALSI_JUDGE_TEMPERATURE": "0.5", "EVALSI_JUDGE_SEED": "4"})
    assert judge is not None
    assert judge.name == "tiny, temperature 0.5, seed 4, max_tokens 1024"
    assert judge.address == "http://localhost:8000/v1"


def test_a_specs_fields_come_before_those_of_the_environment():
    judge = find_judge(JudgeConfig(model="large"), HERE)
    assert judge is not None
    assert judge.name.startswith("large,")
    assert judge.address == "http://localhost:8000/v1"


@pytest.mark.parametrize(
    ("written", "environ", "told"),
    [
        (JudgeConfig(model="m"), {}, "no base_url; give it in the spec's `judge` or as EVALSI_"),
        (None, {"EVALSI_JUDGE_SEED": "1"}, "the judge has no model and no base_url"),
        (None, {"EVALSI_JUDGE_API_KEY": "k"}, "the judge has no model and no base_url"),
        ("main", HERE, '"main" is the name of a judge that a server would have'),
        (None, {**HERE, "EVALSI_JUDGE_MODLE": "x"}, "did you mean EVALSI_JUDGE_MODEL?"),
        (None, {**HERE, "EVALSI_JUDGE_CONCURRENCY": "many"}, "judge.concurrency: Input should be"),
        (None, {**HERE, "EVALSI_JUDGE_RETRIES": "{"}, "EVALSI_JUDGE_RETRIES is no JSON"),
        (None, {**HERE, "EVALSI_JUDGE_API_KEY_ENV": "NO_SUCH_KEY"}, "has no NO_SUCH_KEY"),
        (None, {**HERE, "EVALSI_JUDGE_BASE_URL": "ftp://x"}, "judge.base_url: Value error, give"),
        (None, {**HERE, "EVALSI_JUDGE_BASE_URL": "http://u:p@x/v1"}, "belongs into `api_key_env`"),
    ],
)
def test_settings_that_do_not_make_a_judge_are_refused(written, environ, told):
    assert told in refused(written, environ)


def test_a_refusal_shows_no_value_that_may_be_secret():
    assert "p4ss" not in refused(None, {**HERE, "EVALSI_JUDGE_BASE_URL": "http://u:p4ss@x/v1"})


def test_the_environments_key_goes_to_the_environments_address_only(monkeypatch):
    from evalsi.core.judge.find import _joined, _of_environment

    key = {"EVALSI_JUDGE_API_KEY": "k"}
    held = _of_environment({**HERE, **key})
    assert held["api_key_env"] == "EVALSI_JUDGE_API_KEY"
    assert "api_key_env" not in _joined(held, {"base_url": "http://elsewhere/v1"})


def test_a_key_is_named_and_never_held_by_settings(monkeypatch):
    monkeypatch.setenv("EVALSI_JUDGE_API_KEY", "sk-secret")
    environ = {**HERE, "EVALSI_JUDGE_API_KEY": "sk-secret"}
    judge = find_judge(None, environ)
    assert judge is not None
    assert "sk-secret" not in f"{judge.name} {judge.address} {judge._config!r}"


def test_a_key_that_no_header_may_hold_is_refused_unshown(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-1\nX-Evil: 1")
    told = refused(None, {**HERE, "EVALSI_JUDGE_API_KEY_ENV": "MY_KEY"})
    assert "characters that no key has" in told
    assert "sk-1" not in told
