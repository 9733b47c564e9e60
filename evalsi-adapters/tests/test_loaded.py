"""A trainer's reward: named by settings or the environment, loaded once a process, and said so."""

import logging
import threading
from collections import UserDict
from concurrent.futures import ThreadPoolExecutor

import pytest

from evalsi.core import DataError, SpecError
from evalsi.rewards import loaded as room
from evalsi.rewards.loaded import loaded
from evalsi.rewards.trainer import Trainer

SPEC = """
apiVersion: evals.si/v1alpha1
kind: RewardSpec
metadata: {name: gym}
spec: {components: [rows:is-right]}
"""
TRAINER = Trainer("Gym", tested="1.0", reserved=frozenset({"score"}))


@pytest.fixture(autouse=True)
def nothing_is_held(monkeypatch):
    monkeypatch.setattr(room, "_held", {})
    for name in ("SPEC", "SERVER", "MISSING"):
        monkeypatch.delenv(f"EVALSI_REWARD_{name}", raising=False)


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "reward.yaml"
    path.write_text(SPEC)
    return str(path)


def test_a_reward_is_loaded_once_for_all_threads(spec, monkeypatch):
    calls = []
    load, gate = room.load_reward, threading.Barrier(8)
    monkeypatch.setattr(room, "load_reward", lambda *a, **k: calls.append(a) or load(*a, **k))

    def ask(_):
        gate.wait()
        return loaded(TRAINER, spec=spec).reward

    with ThreadPoolExecutor(8) as pool:
        rewards = set(pool.map(ask, range(8)))
    assert (len(rewards), len(calls)) == (1, 1)


def test_one_line_says_that_the_reward_is_active(spec, caplog):
    with caplog.at_level(logging.WARNING, "evalsi.rewards"):
        reward = loaded(TRAINER, spec=spec).reward
        loaded(TRAINER, spec=spec)
    (line,) = caplog.messages
    assert line.startswith("evalsi reward active: spec gym ")
    assert f"fingerprint {reward.terms.fingerprint}" in line
    assert "components is-right" in line
    assert "gym (not installed), evalsi-adapters 0." in line
    assert "row-fakes 1.0" in line


def test_settings_come_from_the_environment_too(spec, monkeypatch):
    monkeypatch.setenv("EVALSI_REWARD_SPEC", spec)
    monkeypatch.setenv("EVALSI_REWARD_MISSING", "-1")
    assert loaded(TRAINER).missing == -1.0


def test_a_setting_wins_over_the_environment(spec, monkeypatch):
    monkeypatch.setenv("EVALSI_REWARD_SPEC", "elsewhere.yaml")
    assert loaded(TRAINER, spec=spec).reward.components == ("is-right",)


def test_a_spec_may_be_a_mapping_of_any_kind():
    spec = UserDict({"components": [UserDict({"ref": "rows:is-right", "name": "right"})]})
    assert loaded(TRAINER, spec=spec).reward.components == ("right",)


def test_without_a_spec_the_error_names_both_ways_to_set_it():
    with pytest.raises(SpecError, match=r"EVALSI_REWARD_SPEC .* reward_kwargs\.spec"):
        loaded(TRAINER)


@pytest.mark.parametrize("spec", [7, {"components": [object()]}])
def test_what_is_no_spec_is_refused(spec):
    with pytest.raises(SpecError, match="the reward spec"):
        loaded(TRAINER, spec=spec)


@pytest.mark.parametrize("missing", ["skip", True, "nan", float("inf")])
def test_missing_is_raise_or_a_finite_number(spec, missing):
    with pytest.raises(DataError, match="must be `raise`, or a finite number"):
        loaded(TRAINER, spec=spec, missing=missing)


def test_a_reserved_name_is_refused_with_the_mend():
    with pytest.raises(SpecError, match="under the name score; give the component another `name`"):
        loaded(TRAINER, spec={"components": [{"ref": "rows:is-right", "name": "score"}]})


def test_an_evaluator_of_group_scope_is_refused():
    with pytest.raises(SpecError, match="one rollout at a time"):
        loaded(TRAINER, spec={"components": ["rows:pairs"]})


def test_a_spec_that_was_refused_is_tried_again(tmp_path):
    path = tmp_path / "late.yaml"
    with pytest.raises(SpecError):
        loaded(TRAINER, spec=str(path))
    path.write_text(SPEC)
    assert loaded(TRAINER, spec=str(path)).reward.components == ("is-right",)


@pytest.mark.parametrize(("missing", "warnings"), [(None, 1), ("raise", 0), (0, 0)])
def test_a_spec_that_lets_totals_be_missing_asks_for_a_choice(caplog, missing, warnings):
    spec = {"components": ["rows:is-right"], "onError": "none"}
    with caplog.at_level(logging.WARNING, "evalsi.rewards"):
        loaded(TRAINER, spec=spec, missing=missing)
    told = [line for line in caplog.messages if "Gym cannot leave a rollout out" in line]
    assert len(told) == warnings


def test_an_untested_release_is_told(spec, caplog, monkeypatch):
    monkeypatch.setattr(room, "installed", lambda name: "2.0")
    with caplog.at_level(logging.WARNING, "evalsi.rewards"):
        loaded(TRAINER, spec=spec)
    assert "tested with Gym 1.0; this is 2.0" in caplog.messages[1]
