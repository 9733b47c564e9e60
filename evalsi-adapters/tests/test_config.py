"""`evalsi rewards config`: what the installed release understands, or a refusal."""

import inspect
import re

import pytest
from click.testing import CliRunner

from evalsi.core.cli.root import root
from evalsi.rewards import openrlhf, releases, verl

SPEC = """
apiVersion: evals.si/v1alpha1
kind: RewardSpec
metadata: {name: gym}
spec: {components: [{ref: rows:is-right, name: right}]}
"""


def _runner() -> CliRunner:
    """One that keeps stderr apart, as click's own does from 8.2 on."""
    apart = "mix_stderr" in inspect.signature(CliRunner).parameters
    return CliRunner(mix_stderr=False) if apart else CliRunner()


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "reward.yaml"
    path.write_text(SPEC)
    return str(path)


@pytest.fixture
def run(monkeypatch):
    def run(*words, installed=None):
        monkeypatch.setattr(releases, "installed", lambda name: installed)
        return _runner().invoke(root, ["rewards", "config", *words])

    return run


def lines(result):
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


@pytest.mark.parametrize(
    ("release", "section", "path"),
    [
        ("0.4.0", "custom_reward_function", verl.__file__),
        ("0.6.1", "custom_reward_function", verl.__file__),
        ("0.7.0", "custom_reward_function", "pkg://evalsi.rewards.verl"),
        ("0.7.1", "reward.custom_reward_function", "pkg://evalsi.rewards.verl"),
        ("0.9", "reward.custom_reward_function", "pkg://evalsi.rewards.verl"),
        ("0.9.1+cu128", "reward.custom_reward_function", "pkg://evalsi.rewards.verl"),
    ],
)
def test_the_overrides_are_those_of_the_installed_release(run, spec, release, section, path):
    assert lines(run("verl", "--spec", spec, installed=release)) == [
        f"{section}.path={path}",
        f"{section}.name=compute_score",
        f"++{section}.reward_kwargs.spec={spec}",
    ]


def test_a_named_release_wins_over_the_installed_one(run, spec):
    first, *_ = lines(run("verl", "--spec", spec, "--version", "0.9.1", installed="0.6.0"))
    assert first.startswith("reward.")


def test_further_settings_are_overrides_too(run, spec):
    words = ("--server", "http://h:80", "--missing", "-1")
    assert lines(run("verl", "--spec", spec, *words, installed="0.9.1"))[3:] == [
        "++reward.custom_reward_function.reward_kwargs.server=http://h:80",
        "++reward.custom_reward_function.reward_kwargs.missing=-1",
    ]


def test_with_a_server_a_spec_may_be_a_name_there(run):
    words = ("--spec", "code-grpo", "--server", "http://h:80")
    assert lines(run("verl", *words, installed="0.9.1"))[2].endswith("reward_kwargs.spec=code-grpo")


def test_a_path_that_hydra_would_read_otherwise_is_quoted(run, tmp_path):
    path = tmp_path / "it's a=b, {c}.yaml"
    path.write_text(SPEC)
    line = lines(run("verl", "--spec", str(path), installed="0.9.1"))[2]
    assert line.endswith("/it\\'s a=b, {c}.yaml'")


def test_a_relative_path_is_made_absolute_since_workers_run_elsewhere(run, spec, monkeypatch):
    monkeypatch.chdir(spec.removesuffix("reward.yaml"))
    assert lines(run("verl", "--spec", "reward.yaml", installed="0.9.1"))[2].endswith(f"={spec}")


@pytest.mark.parametrize("release", ["0.3.0", "0.9.2", "0.10.0", "1.0", "0.9.1rc1", "0.9.0.dev0"])
def test_an_unknown_release_of_verl_is_refused_and_says_which_are_known(run, spec, release):
    result = run("verl", "--spec", spec, installed=release)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"verl {release} is not known here (0.4.0 to 0.9.1 are)" in result.stderr


def test_without_verl_the_release_is_asked_for(run, spec):
    result = run("verl", "--spec", spec)
    assert result.exit_code == 2
    assert "--version 0.9.1" in result.stderr


def test_a_spec_that_cannot_work_in_verl_is_refused_before_a_run_is_begun(run, tmp_path):
    path = tmp_path / "reward.yaml"
    path.write_text(SPEC.replace("name: right", "name: reward"))
    result = run("verl", "--spec", str(path), installed="0.9.1")
    assert result.exit_code == 2
    assert "under the name reward" in result.stderr


def test_a_missing_that_is_no_number_is_refused(run, spec):
    assert run("verl", "--spec", spec, "--missing", "skip", installed="0.9.1").exit_code == 2


@pytest.mark.parametrize(
    ("release", "flag"),
    [
        ("0.8.5", "--remote_rm_url"),
        ("0.10.1.post2", "--remote_rm_url"),
        ("0.10.2", "--reward.remote_url"),
        ("0.11.2", "--reward.remote_url"),
    ],
)
def test_the_flag_is_that_of_the_installed_release(run, spec, release, flag):
    result = run("openrlhf", "--spec", spec, installed=release)
    assert lines(result) == [f"{flag} {openrlhf.__file__}"]
    assert f"EVALSI_REWARD_SPEC={spec}" in result.stderr


@pytest.mark.parametrize(
    ("url", "route"),
    [
        ("http://h:5000/t/x/get_reward/math", "http://h:5000/t/x/get_reward/math"),
        ("http://h:5000", "http://h:5000/get_reward"),
        ("http://h:5000/", "http://h:5000/get_reward"),
    ],
)
def test_a_server_is_named_by_its_route(run, url, route):
    result = run("openrlhf", "--url", url, installed="0.11.2")
    assert lines(result) == [f"--reward.remote_url {route}"]


@pytest.mark.parametrize("url", ["h:5000", "reward_func.py", "http://"])
def test_what_openrlhf_would_not_take_for_a_server_is_refused(run, url):
    assert run("openrlhf", "--url", url, installed="0.11.2").exit_code == 2


@pytest.mark.parametrize("words", [(), ("--spec", "a.yaml", "--url", "http://h")])
def test_it_is_either_a_spec_or_a_url(run, words):
    assert run("openrlhf", *words, installed="0.11.2").exit_code == 2


@pytest.mark.parametrize("release", ["0.8.4", "0.11.3", "0.12.0"])
def test_an_unknown_release_of_openrlhf_is_refused(run, spec, release):
    result = run("openrlhf", "--spec", spec, installed=release)
    assert result.exit_code == 2
    assert re.search(rf"openrlhf {release} is not known here \(0.8.5 to 0.11.2", result.stderr)


@pytest.mark.parametrize("name", ["verl", "openrlhf"])
def test_the_commands_have_a_line_in_the_help_of_their_group(name):
    assert f"\n  {name} " in CliRunner().invoke(root, ["rewards", "config", "--help"]).output
