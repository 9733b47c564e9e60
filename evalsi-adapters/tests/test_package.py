"""The package's own names: those of the library, at no cost before their use."""

import subprocess
import sys

import pytest

from evalsi import rewards
from evalsi.core.reward import load_reward


def test_a_reward_is_loaded_by_either_name():
    assert rewards.load is rewards.load_reward is load_reward


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"'evalsi\.rewards' has no attribute 'lode'"):
        _ = rewards.lode


def test_who_lists_plugins_imports_no_engine():
    program = "import sys, evalsi.rewards.plugin; print('evalsi.core.engine' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"False\n"
