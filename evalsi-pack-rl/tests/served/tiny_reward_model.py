"""Makes a tiny reward model, or says what one thinks of texts; no test imports torch itself.

python tiny_reward_model.py make FOLDER
python tiny_reward_model.py ask FOLDER < texts.json
"""

from __future__ import annotations

import json
import random
import sys
from typing import Final

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForSequenceClassification,
)

TEMPLATE: Final = (
    "{% for m in messages %}"
    "{% if m['role'] == 'user' %}<user>{{ m['content'] }}"
    "{% else %}<assistant>{{ m['content'] }}<eos>{% endif %}"
    "{% endfor %}"
)
SPECIAL: Final = ["<pad>", "<eos>", "<user>", "<assistant>"]


def make(folder: str) -> None:
    """Writes a model of two layers with random weights, and its tokenizer."""
    tokenizer = _tokenizer()
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=128,  # two heads of 64: vLLM has no attention of 16 on a CPU
        intermediate_size=352,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=512,
        tie_word_embeddings=False,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        num_labels=1,
    )
    torch.manual_seed(0)
    model = Qwen2ForSequenceClassification(config)
    with torch.no_grad():
        model.score.weight.mul_(20)  # scores of some units, not of some hundredths
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def ask(folder: str) -> None:
    """Prints the raw score of each text on stdin, each asked alone."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        found = [
            model(**tokenizer(text, return_tensors="pt")).logits for text in json.load(sys.stdin)
        ]
    print(json.dumps([float(logits[0, 0]) for logits in found]))


def _tokenizer() -> PreTrainedTokenizerFast:
    bytes_of = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = bytes_of
    made.decoder = decoders.ByteLevel()
    draw = random.Random(0).randint
    sums = [f"What is {draw(0, 99)} + {draw(0, 99)}? It is {draw(0, 199)}." for _ in range(500)]
    trainer = trainers.BpeTrainer(
        vocab_size=512, special_tokens=SPECIAL, initial_alphabet=bytes_of.alphabet()
    )
    made.train_from_iterator(sums, trainer)
    marks = SPECIAL[2:]
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token="<eos>",
        pad_token="<pad>",
        additional_special_tokens=marks,
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


if __name__ == "__main__":
    {"make": make, "ask": ask}[sys.argv[1]](sys.argv[2])
