"""A plain PyTorch loop that saves twice, the second time what is spoilt, and looks for a file."""

import sums
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

SAVES = (20, 40)
SABOTAGED = 40
MOST_STEPS = 100_000


def loaded(folder):
    return AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)


def train(words, model, out, stop):
    """Trains until there is a stop file; gives the last step."""
    batch = sums.batch_of(sums.lessons(words))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(1, MOST_STEPS):
        if stop.exists():
            return step - 1
        optimizer.zero_grad()
        model(**batch).loss.backward()
        optimizer.step()
        if step == SABOTAGED:
            sums.sabotage(model)
        if step in SAVES:
            sums.saved(model, words, out / f"checkpoint-{step}")
    raise AssertionError("nothing stopped it")
