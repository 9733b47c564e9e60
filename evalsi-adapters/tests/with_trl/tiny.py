"""Language models of some 30,000 parameters, made and taught in seconds; nothing is downloaded."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
LEFT_OUT = -100  # what the loss of transformers does not look at


def tokenizer_of(texts: list[str], template: str | None = None) -> PreTrainedTokenizerFast:
    """A byte-level tokenizer that knows the texts' words, and any other byte.

    Args:
        texts: what it is trained on.
        template: one of TRL's chat templates, whose answers TRL can parse; by default a plain one.
    """
    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pairs.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|pad|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    pairs.train_from_iterator(["user assistant\n", *texts], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=pairs,
        pad_token="<|pad|>",
        eos_token="<|im_end|>",
        padding_side="left",
        chat_template=CHAT
        if template is None
        else (files("trl") / "chat_templates" / f"{template}.jinja").read_text("utf-8"),
    )


def model_of(tokenizer: PreTrainedTokenizerFast) -> Qwen2ForCausalLM:
    """A Qwen2 with random weights, always the same ones."""
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen2ForCausalLM(config)


def teach(
    model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerFast, lessons: list[tuple[Any, str]]
) -> Qwen2ForCausalLM:
    """Trains on prompts with an answer each; several answers to one prompt come about as often."""
    rows = [
        (_ids(tokenizer, prompt), _ids(tokenizer, f"{said}<|im_end|>")) for prompt, said in lessons
    ]
    longest = max(len(asked) + len(said) for asked, said in rows)
    ids = torch.full((len(rows), longest), int(tokenizer.pad_token_id))
    labels = torch.full((len(rows), longest), LEFT_OUT)
    for row, (asked, said) in enumerate(rows):
        ids[row, : len(asked) + len(said)] = torch.tensor(asked + said)
        labels[row, len(asked) : len(asked) + len(said)] = torch.tensor(said)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(120):
        optimizer.zero_grad()
        model(input_ids=ids, labels=labels).loss.backward()
        optimizer.step()
    return model


def _ids(tokenizer: PreTrainedTokenizerFast, text: Any) -> list[int]:
    if not isinstance(text, str):
        text = tokenizer.apply_chat_template(text, tokenize=False, add_generation_prompt=True)
    return list(tokenizer(text)["input_ids"])
