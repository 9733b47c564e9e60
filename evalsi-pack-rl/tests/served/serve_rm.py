"""OpenRLHF's own `serve_rm`, where neither DeepSpeed nor FlashAttention is installed.

Both are imported by modules that it imports, and called by none of what it runs: the server, its
tokenizing and its model are OpenRLHF's. A stub that is called ends the request with an error.
"""

from __future__ import annotations

import runpy
import sys
import types
from importlib.machinery import ModuleSpec
from typing import NoReturn

STUBS: dict[str, tuple[str, ...]] = {
    "deepspeed": (),
    "flash_attn": (),
    "flash_attn.bert_padding": ("index_first_axis", "pad_input", "rearrange", "unpad_input"),
    "flash_attn.utils": (),
    "flash_attn.utils.distributed": ("all_gather",),
}


def called(*_: object, **__: object) -> NoReturn:
    """Stands for a function that is not to be called."""
    raise AssertionError("a function of a library that is stubbed out was called")


if __name__ == "__main__":
    for name, functions in STUBS.items():
        module = types.ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        module.__path__ = []
        module.__dict__.update(dict.fromkeys(functions, called))
        sys.modules[name] = module
    runpy.run_module("openrlhf.cli.serve_rm", run_name="__main__")
