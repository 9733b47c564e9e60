"""The real files of OpenRLHF on the way of a reward, without what needs a GPU.

Its packages import deepspeed, vLLM and a cluster when they are imported, so that its files are
executed one by one; what they take from those is never called on this way.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import MagicMock

_PACKAGES = ("", ".utils", ".models", ".trainer", ".trainer.ray", ".trainer.ppo_utils")
_ABSENT = ("ray", "vllm")
_ABSENT_HERE = ("models.utils", "trainer.ray.vllm_engine", "trainer.ray.launcher")
_FILES = (
    "utils.logging_utils",
    "utils.utils",
    "utils.agent",
    "utils.seqlen_balancing",
    "trainer.ppo_utils.length_penalty",
    "trainer.ppo_utils.experience",
    "trainer.ppo_utils.samples_generator",
    "trainer.ppo_utils.experience_maker",
)


def load():
    """Executes the files; afterwards they are modules as any other."""
    spec = importlib.util.find_spec("openrlhf")
    folder = Path(spec.submodule_search_locations[0])
    for name in _PACKAGES:
        sys.modules[f"openrlhf{name}"] = ModuleType(f"openrlhf{name}")
    for name in _ABSENT:
        if importlib.util.find_spec(name) is None:
            sys.modules[name] = MagicMock()
    for name in _ABSENT_HERE:
        sys.modules[f"openrlhf.{name}"] = MagicMock()
    for name in _FILES:
        _executed(f"openrlhf.{name}", folder / f"{name.replace('.', '/')}.py")


def _executed(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
