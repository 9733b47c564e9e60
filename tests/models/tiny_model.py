"""Makes a chat model of 400,000 parameters that has learnt a few answers by heart.

    python tiny_model.py FOLDER < lessons.jsonl

A lesson is a line `{"user": …, "assistant": …}`. The model is a Qwen2 with random weights, trained
on the assistant's words alone, and its tokenizer is trained on the lessons: nothing is downloaded.
"""

from __future__ import annotations

import json
import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TOKENS = ("<|pad|>", "<|im_start|>", "<|im_end|>")
LONGEST = 1024
MOST_STEPS = 400
SURE = 0.6  # above a half it is what greedy decoding says
LEFT_OUT = -100  # what the loss of transformers does not look at


def tokenizer_of(lessons: list[dict[str, str]]) -> PreTrainedTokenizerFast:
    bytes_pairs = Tokenizer(models.BPE())
    bytes_pairs.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    bytes_pairs.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1024,
        special_tokens=list(TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = [text for lesson in lessons for text in lesson.values()]
    bytes_pairs.train_from_iterator(["system user assistant\n", *texts], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=bytes_pairs,
        pad_token=TOKENS[0],
        eos_token=TOKENS[2],
        chat_template=CHAT,
    )


def untrained(tokenizer: PreTrainedTokenizerFast) -> Qwen2ForCausalLM:
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=352,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=LONGEST,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen2ForCausalLM(config)


def batch_of(
    lessons: list[dict[str, str]], tokenizer: PreTrainedTokenizerFast
) -> dict[str, torch.Tensor]:
    """All lessons, padded to one length; only the assistant's tokens are labels."""
    rows = []
    for lesson in lessons:
        asked = f"<|im_start|>user\n{lesson['user']}<|im_end|>\n<|im_start|>assistant\n"
        question = tokenizer(asked)["input_ids"]
        answer = tokenizer(f"{lesson['assistant']}<|im_end|>")["input_ids"]
        rows.append((question, answer))
    longest = max(len(question) + len(answer) for question, answer in rows)
    ids = torch.full((len(rows), longest), int(tokenizer.pad_token_id))
    labels = torch.full((len(rows), longest), LEFT_OUT)
    for row, (question, answer) in enumerate(rows):
        end = len(question) + len(answer)
        ids[row, :end] = torch.tensor(question + answer)
        labels[row, len(question) : end] = torch.tensor(answer)
    return {"input_ids": ids, "attention_mask": (ids != tokenizer.pad_token_id), "labels": labels}


def learn(model: Qwen2ForCausalLM, batch: dict[str, torch.Tensor]) -> int:
    """Trains until every lesson is known by heart; gives the number of steps."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(MOST_STEPS):
        found = model(**batch)
        if least_sure(found.logits, batch["labels"]) > SURE:
            return step
        optimizer.zero_grad()
        found.loss.backward()
        optimizer.step()
    raise SystemExit(f"the lessons were not learnt in {MOST_STEPS} steps")


def least_sure(logits: torch.Tensor, labels: torch.Tensor) -> float:
    """The probability of that label which the model is least sure of."""
    wanted = labels[:, 1:]
    chances = logits[:, :-1].detach().softmax(-1)
    of_labels = chances.gather(-1, wanted.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    least: float = of_labels[wanted != LEFT_OUT].min().item()
    return least


def main() -> None:
    lessons = [json.loads(line) for line in sys.stdin]
    tokenizer = tokenizer_of(lessons)
    model = untrained(tokenizer)
    print("learnt in", learn(model, batch_of(lessons, tokenizer)), "steps")
    model.generation_config.do_sample = True  # else the server takes no heed of a temperature
    model.save_pretrained(sys.argv[1])
    tokenizer.save_pretrained(sys.argv[1])


if __name__ == "__main__":
    main()
