"""What `evalsi rewards config verl` prints, read by verl's own settings and loader."""

from pathlib import Path

import pytest
import verl as verl_package
from click.testing import CliRunner
from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import given, settings
from hypothesis import strategies as st
from verl.trainer.ppo.reward import get_custom_reward_fn

from evalsi.core.cli.root import root
from evalsi.rewards.config_verl import _KNOWN, overrides

FOLDER = str(Path(verl_package.__file__).parent / "trainer" / "config")


def composed(lines):
    with initialize_config_dir(config_dir=FOLDER, version_base=None):
        return compose("ppo_trainer", overrides=[*lines, "reward.reward_model.rollout.name=vllm"])


def printed(*words):
    result = CliRunner().invoke(root, ["rewards", "config", "verl", *words])
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def test_the_function_that_verl_loads_is_the_reward_with_its_settings(spec):
    path = spec(onError="none")
    function = get_custom_reward_fn(composed(printed("--spec", path, "--missing", "-1")))
    row = {"data_source": "s", "ground_truth": "42", "extra_info": {"num_turns": 1}}
    assert function(solution_str="42", **row)["score"] == 1.0
    assert function(solution_str="away", **row)["score"] == -1.0


def test_the_key_of_older_releases_is_still_accepted_and_ignored(spec):
    """Why the command looks at the installed release."""
    old = printed("--spec", spec(), "--version", "0.7.0")
    assert composed(old).reward.custom_reward_function.path is None


def test_settings_of_the_user_stand_beside_ours(spec):
    section = "reward.custom_reward_function.reward_kwargs"
    lines = [*printed("--spec", spec()), f"++{section}.missing=raise"]
    kwargs = composed(lines).reward.custom_reward_function.reward_kwargs
    assert set(kwargs) == {"spec", "missing"}


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" "), min_size=1))
def test_any_path_survives_the_grammar_of_hydra(name):
    path = f"/{name.replace('${', '')}.yaml"
    (*_, line) = overrides(_KNOWN[-1].style, {"spec": path})
    assert OverridesParser.create().parse_override(line).value() == path


@pytest.mark.parametrize("server", ["http://127.0.0.1:5000", "https://h.example/t/x?y=z,w"])
def test_an_address_survives_it_too(server):
    lines = overrides(_KNOWN[-1].style, {"server": server})
    assert composed(lines).reward.custom_reward_function.reward_kwargs.server == server
