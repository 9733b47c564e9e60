"""A chat model of 400,000 parameters that learns sums, and can be asked while it learns.

Nothing is downloaded: the tokenizer has a token a byte, and the weights begin at random. Its heads
have 64 dimensions, the least that vLLM's attention on CPUs takes.
"""

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from training_kit import spec
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from evalsi.training import CheckpointEvaluator

CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
ROLES = ("user\n", "assistant\n", "system\n")
TOKENS = ("<|pad|>", "<|im_start|>", "<|im_end|>")
MAX_TOKENS = 4
LEFT_OUT = -100  # what the loss of transformers does not look at
SUMS = [(f"{a} + {b} =", str(a + b)) for a in range(8) for b in range(8)]


def tokenizer():
    alphabet = [*TOKENS, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    made = Tokenizer(models.BPE({word: number for number, word in enumerate(alphabet)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token=TOKENS[0],
        eos_token=TOKENS[2],
        additional_special_tokens=[TOKENS[1]],
        chat_template=CHAT,
    )


def untrained(words, head_dim=64):
    torch.manual_seed(0)
    return Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(words),
            hidden_size=2 * head_dim,
            intermediate_size=352,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            max_position_embeddings=256,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=words.eos_token_id,
            pad_token_id=words.pad_token_id,
        )
    )


def lessons(words, sums=SUMS):
    """One row a sum, padded to one length; only the answer's tokens are labels."""
    rows = []
    for question, answer in sums:
        asked = [{"role": "user", "content": question}]
        told = words.apply_chat_template(asked, add_generation_prompt=True, tokenize=False)
        rows.append((words(told)["input_ids"], words(f"{answer}{TOKENS[2]}")["input_ids"]))
    longest = max(len(told) + len(answer) for told, answer in rows)
    return [row_of(words, told, answer, longest) for told, answer in rows]


def row_of(words, told, answer, longest):
    empty = longest - len(told) - len(answer)
    return {
        "input_ids": torch.tensor(told + answer + [words.pad_token_id] * empty),
        "attention_mask": torch.tensor([1] * (longest - empty) + [0] * empty),
        "labels": torch.tensor([LEFT_OUT] * len(told) + answer + [LEFT_OUT] * empty),
    }


def batch_of(rows):
    return {name: torch.stack([row[name] for row in rows]) for name in rows[0]}


def right(model, batch):
    """The share of lessons whose every label is what greedy decoding says."""
    with torch.no_grad():
        said = model(**batch).logits[:, :-1].argmax(-1)
    wanted = batch["labels"][:, 1:]
    return ((said == wanted) | (wanted == LEFT_OUT)).all(-1).float().mean().item()


def told(model, words):
    """The share of sums whose answer it tells, as a server gives it: text, cut off at a length.

    A broken model may tell a right digit without coming to an end.
    """
    rights = []
    for question, answer in SUMS:
        asked = [{"role": "user", "content": question}]
        text = words.apply_chat_template(asked, add_generation_prompt=True, tokenize=False)
        given = torch.tensor([words(text)["input_ids"]])
        said = model.generate(given, do_sample=False, max_new_tokens=MAX_TOKENS)
        end = said[0, given.shape[1] :]
        rights.append(words.decode(end, skip_special_tokens=True).strip() == answer)
    return sum(rights) / len(rights)


def learn(model, batch, until, most_steps=2000):
    """Trains until that share is known; gives the number of steps."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(most_steps):
        if right(model, batch) >= until:
            return step
        optimizer.zero_grad()
        model(**batch).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    raise AssertionError(f"{until:.0%} of the sums were not learnt in {most_steps} steps")


def saved(model, words, folder):
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def sabotage(model):
    """What a step with a far too large learning rate does, to a model or to its adapter."""
    layers = {name: weights for name, weights in model.named_parameters() if "down_proj" in name}
    trained = [weights for weights in layers.values() if weights.requires_grad]
    with torch.no_grad():
        trained[-1].normal_(0, 10)


def spec_of(path):
    """An EvalRun over the sums, at temperature 0."""
    records = [
        {"id": question, "input": question, "reference": answer} for question, answer in SUMS
    ]
    return spec(
        path,
        dataset={"inline": {"records": records}},
        target={
            "connector": "openai-compatible",
            "model": "base",
            "base_url": "http://127.0.0.1:9/v1",
            "temperature": 0,
            "max_tokens": MAX_TOKENS,
        },
    )


def evaluator_of(folder, serving, **options):
    return CheckpointEvaluator(
        spec_of(folder / "spec.json"),
        training_run="sums",
        serving=serving,
        log_dir=folder / "logs",
        regression=["right:0.1"],
        **options,
    )
