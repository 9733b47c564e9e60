"""Core's own plugins: its commands, registered through the hook that any pack uses."""

from __future__ import annotations

from evalsi.core.plugins.descriptor import Plugin, hookimpl

__all__ = ["evalsi_register_commands", "evalsi_register_connectors"]


@hookimpl
def evalsi_register_commands() -> list[Plugin]:
    """Core's commands; also the table that `evalsi --help` prints without loading any plugin."""
    return [
        Plugin(
            "rewards score",
            "evalsi.core.cli.rewards:score",
            "Score rollouts with a reward spec.",
        ),
        Plugin(
            "run",
            "evalsi.core.cli.run:run",
            "Ask a target, evaluate its outputs, and hold the metrics to gates.",
        ),
        Plugin(
            "eval",
            "evalsi.core.cli.eval:evaluate",
            "Evaluate outputs that are there already.",
        ),
        Plugin(
            "rescore",
            "evalsi.core.cli.rescore:rescore",
            "Score the outputs of a result anew, and show what changed.",
        ),
        Plugin(
            "plugins",
            "evalsi.core.cli.plugins:plugins",
            "List plugins: where each comes from, and which packs failed.",
        ),
        Plugin(
            "catalog",
            "evalsi.core.cli.catalog:catalog",
            "Show evaluators with their params, defaults and metrics.",
        ),
        Plugin(
            "sandbox check",
            "evalsi.core.cli.sandbox:check",
            "Try each rung of the sandbox: usable, or why not and what mends it.",
        ),
    ]


@hookimpl
def evalsi_register_connectors() -> list[Plugin]:
    """Core's connectors."""
    return [
        Plugin(
            "openai-compatible",
            "evalsi.core.connectors.openai_compatible:OpenAICompatible",
            "A model behind the API that vLLM, SGLang, Ollama and others serve.",
        ),
        Plugin(
            "anthropic",
            "evalsi.core.connectors.anthropic:Anthropic",
            "A model behind the Messages API.",
        ),
        Plugin(
            "transformers",
            "evalsi.core.connectors.transformers.connector:Transformers",
            "A model in this process, of the hub or from a checkpoint's folder.",
        ),
        Plugin(
            "echo",
            "evalsi.core.connectors.echo:Echo",
            "Gives every prompt back, or a fixed text.",
        ),
        Plugin(
            "replay",
            "evalsi.core.connectors.replay:Replay",
            "Outputs that were recorded before.",
        ),
    ]
