"""What checkpoint evaluation registers: descriptors only, so that listing it imports nothing."""

from __future__ import annotations

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__all__ = [
    "evalsi_add_hookspecs",
    "evalsi_register_checkpoint_sources",
    "evalsi_register_commands",
    "evalsi_register_serving_strategies",
    "evalsi_register_trackers",
]


@hookimpl
def evalsi_add_hookspecs() -> dict[str, str]:
    """Trackers, a kind of plugin of this distribution's own."""
    return {"evalsi_register_trackers": "tracker"}


@hookimpl
def evalsi_register_trackers() -> list[Plugin]:
    """Places where people watch a training run."""
    return [
        Plugin(
            "mlflow",
            "evalsi.training.trackers.mlflow:MLflow",
            "A run of an MLflow server, active or finished.",
        ),
        Plugin(
            "tensorboard",
            "evalsi.training.trackers.tensorboard:TensorBoard",
            "Event files in a folder of their own.",
        ),
        Plugin(
            "wandb",
            "evalsi.training.trackers.wandb:Wandb",
            "A run of Weights & Biases.",
        ),
    ]


@hookimpl
def evalsi_register_commands() -> list[Plugin]:
    """The commands on checkpoints."""
    return [
        Plugin(
            "checkpoints eval",
            "evalsi.training.cli.evaluate:evaluate",
            "Evaluate one checkpoint, or the base model.",
        ),
        Plugin(
            "checkpoints watch",
            "evalsi.training.cli.watch:watch",
            "Evaluate every checkpoint that appears.",
        ),
        Plugin(
            "checkpoints curve",
            "evalsi.training.cli.curve:curve",
            "Show every step against the base, and hold the latest to gates.",
        ),
        Plugin(
            "checkpoints publish",
            "evalsi.training.cli.publish:publish",
            "Send what a tracker has not confirmed yet.",
        ),
        Plugin(
            "checkpoints rescore",
            "evalsi.training.cli.rescore:rescore",
            "Score all steps anew from their outputs, when an evaluator has changed.",
        ),
        Plugin(
            "checkpoints plan",
            "evalsi.training.cli.plan:plan",
            "Say which drops a spec can see, and how many records a drop needs.",
        ),
    ]


@hookimpl
def evalsi_register_serving_strategies() -> list[Plugin]:
    """Ways to serve a checkpoint while it is evaluated."""
    return [
        Plugin(
            "endpoint",
            "evalsi.training.serving.endpoint:Endpoint",
            "A model that is served already.",
        ),
        Plugin(
            "lora",
            "evalsi.training.serving.lora:LoRA",
            "Adapters, hot-loaded into one vLLM that runs.",
        ),
        Plugin(
            "transformers",
            "evalsi.training.serving.transformers:Transformers",
            "A light server for CPUs, kept warm for every full checkpoint.",
        ),
        Plugin(
            "vllm",
            "evalsi.training.serving.vllm:VLLM",
            "One vLLM a full checkpoint, on a free port.",
        ),
    ]


@hookimpl
def evalsi_register_checkpoint_sources() -> list[Plugin]:
    """Places where checkpoints appear."""
    return [
        Plugin(
            "directory",
            "evalsi.training.sources.directory:Directory",
            "A trainer's output directory.",
        ),
        Plugin(
            "fsspec",
            "evalsi.training.sources.fsspec:Remote",
            "Folders at any other URL that fsspec opens.",
        ),
        Plugin("gs", "evalsi.training.sources.fsspec:Remote", "Folders in a bucket."),
        Plugin(
            "hf",
            "evalsi.training.sources.huggingface:hub",
            "Branches, tags and folders of a repository on the Hugging Face hub.",
        ),
        Plugin(
            "mlflow",
            "evalsi.training.sources.mlflow:RegisteredModel",
            "Versions of a model in an MLflow registry.",
        ),
        Plugin("s3", "evalsi.training.sources.fsspec:Remote", "Folders in a bucket."),
    ]
