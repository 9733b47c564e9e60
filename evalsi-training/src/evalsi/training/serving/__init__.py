"""How a checkpoint becomes a model that answers, for the length of an evaluation."""

from __future__ import annotations

from evalsi.training.serving.contract import Served, ServingError, ServingStrategy
from evalsi.training.serving.endpoint import Endpoint
from evalsi.training.serving.lora import LoRA
from evalsi.training.serving.transformers import Transformers
from evalsi.training.serving.vllm import VLLM

__all__ = ["VLLM", "Endpoint", "LoRA", "Served", "ServingError", "ServingStrategy", "Transformers"]
