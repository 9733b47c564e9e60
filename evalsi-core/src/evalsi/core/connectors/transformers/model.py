"""The model itself: loaded once, asked in batches, by one thread that knows no event loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalsi.core.chat import Output, ServerError
from evalsi.core.connectors.transformers.choice import Choice
from evalsi.core.connectors.transformers.endings import Endings, Row
from evalsi.core.connectors.transformers.examine import place_of
from evalsi.core.connectors.transformers.told import failure, in_a_line

if TYPE_CHECKING:
    from evalsi.core.chat.wires import Messages
    from evalsi.core.connectors.transformers.params import Settled

__all__ = ["Asked", "Model"]


@dataclass(slots=True)
class Asked:
    """One request.

    Attributes:
        messages: the conversation; for plain completions their contents are the prompt.
        seed: of its samples.
        gone: set when nobody waits for its answer any more.
    """

    messages: Messages
    seed: int
    gone: bool = False


@dataclass(slots=True)
class _Prompt:
    number: int
    asked: Asked
    ids: list[int]
    limit: int

    def is_gone(self) -> bool:
        return self.asked.gone


class Model:
    """A model with its tokenizer; loaded at the first use, and then kept."""

    def __init__(self, params: Settled) -> None:
        self._params = params
        self._loaded: _Loaded | None = None
        self._failed: Exception | None = None

    def answers(self, asked: Sequence[Asked]) -> list[Output | Exception]:
        """For each request its output, or the `ServerError` that says why there is none."""
        if self._loaded is None and self._failed is None:
            try:
                self._loaded = _Loaded(self._params)
            except Exception as error:  # noqa: BLE001 - told to every request, as its cause
                self._failed = error.with_traceback(None)  # its frames hold half a model
        if self._loaded is None:
            assert self._failed is not None
            told = f"{self._params.model} did not load: {in_a_line(self._failed)}"
            return [failure(told, "server", self._failed) for _ in asked]
        return self._loaded.answers(asked)

    def free(self) -> None:
        """Lets go of the weights."""
        if self._loaded is not None:
            self._loaded = None
            _emptied()


class _Loaded:
    def __init__(self, params: Settled) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

        place = place_of(params.model, params.revision)
        self._params = params
        self._tokenizer = AutoTokenizer.from_pretrained(params.model, **place)
        model, told = AutoModelForCausalLM.from_pretrained(
            params.model, dtype=getattr(torch, params.dtype), output_loading_info=True, **place
        )
        _refuse_holes(told)
        self._model = model.to(params.device).eval()
        ends = model.generation_config.eos_token_id
        ends = {*(ends if isinstance(ends, list) else [ends]), self._tokenizer.eos_token_id}
        self._ends = frozenset(ends - {None})
        self._context = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        model.generation_config = GenerationConfig()

    def answers(self, asked: Sequence[Asked]) -> list[Output | Exception]:
        answers: dict[int, Output | Exception] = {}
        prompts = []
        for number, one in enumerate(asked):
            try:
                prompts.append(self._prompt(number, one))
            except ServerError as error:
                answers[number] = error
        answers |= self._generated(prompts)
        return [answers[number] for number in range(len(asked))]

    def _prompt(self, number: int, asked: Asked) -> _Prompt:
        ids = self._ids(asked.messages)
        room = None if self._context is None else self._context - len(ids)
        limits = [limit for limit in (self._params.max_tokens, room) if limit is not None]
        if not limits:
            raise failure("the model tells no length of its context; set max_tokens", "refused")
        if not ids or min(limits) < 1:
            told = f"the prompt has {len(ids)} tokens, and the model's context {self._context}"
            raise failure(told, "refused")
        return _Prompt(number, asked, ids, min(limits))

    def _ids(self, messages: Messages) -> list[int]:
        chat = self._params.api == "chat"
        if chat and not self._tokenizer.chat_template:
            raise failure("the model has no chat template; set `api: completions`", "refused")
        try:
            if chat:
                found = self._tokenizer.apply_chat_template(
                    list(messages), add_generation_prompt=True, tokenize=True, return_dict=True
                )
            else:
                found = self._tokenizer("\n\n".join(str(one["content"]) for one in messages))
            return list(found["input_ids"])
        except Exception as error:
            told = f"the prompt cannot be put to the model: {in_a_line(error)}"
            raise failure(told, "refused", error) from error

    def _generated(self, prompts: list[_Prompt]) -> dict[int, Output | Exception]:
        """The outputs by number; what does not fit into memory is asked in halves."""
        if not prompts:
            return {}
        try:
            return self._batch(prompts)
        except Exception as error:  # noqa: BLE001 - told to every request, as its cause
            failed = error.with_traceback(None)  # its frames hold the tensors of the batch
        if not _is_memory(failed):
            told = f"the model failed: {in_a_line(failed)}"
            return {one.number: failure(told, "server", failed) for one in prompts}
        _emptied()
        half = len(prompts) // 2
        if half:
            return self._generated(prompts[:half]) | self._generated(prompts[half:])
        told = f"out of memory; lower max_tokens, or choose another dtype: {in_a_line(failed)}"
        return {prompts[0].number: failure(told, "server", failed)}

    def _batch(self, prompts: list[_Prompt]) -> dict[int, Output | Exception]:
        import torch

        rows = [Row(one.limit, one.is_gone) for one in prompts]
        timeout_s = self._params.timeout_s
        endings = Endings(rows, self._ends, self._params.stop, self._decoded, timeout_s)
        choice = Choice(self._params, [one.asked.seed for one in prompts], endings)
        longest = max(len(one.ids) for one in prompts)
        padded = [[0] * (longest - len(one.ids)) + one.ids for one in prompts]
        seen = [[0] * (longest - len(one.ids)) + [1] * len(one.ids) for one in prompts]
        most = max(row.limit for row in rows)
        with torch.inference_mode():
            self._model.generate(
                torch.tensor(padded, device=self._params.device),
                attention_mask=torch.tensor(seen, device=self._params.device),
                # A row that has ended runs on with the others, but not beyond the context.
                max_new_tokens=min(most, self._context - longest) if self._context else most,
                do_sample=False,
                logits_processor=choice.processors,
                stopping_criteria=choice.criteria,
            )
        outputs = {
            one.number: self._output(one, row, endings, broken)
            for one, row, broken in zip(prompts, rows, choice.broken, strict=True)
        }
        unended = [one for one, row in zip(prompts, rows, strict=True) if not row.finish]
        return outputs | self._generated(unended)

    def _output(
        self, prompt: _Prompt, row: Row, endings: Endings, broken: bool
    ) -> Output | Exception:
        if broken:
            told = (
                "the model's scores are no numbers (NaN): its weights are broken, or too large "
                f"for {self._params.dtype}"
            )
            return failure(told, "malformed")
        if row.finish == "timeout":
            told = f"the model gave no whole output within {self._params.timeout_s:g} s"
            return failure(f"{told}: {len(row.tokens)} tokens so far", "timeout")
        text = endings.text(row)
        return Output(text, row.finish, len(prompt.ids), len(row.tokens), row.seconds)

    def _decoded(self, tokens: Sequence[int]) -> str:
        text: str = self._tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text


def _refuse_holes(told: dict[str, Any]) -> None:
    """Refuses weights that are not all there: the library fills holes with random numbers."""
    holes = sorted({*told["missing_keys"], *(str(one) for one in told["mismatched_keys"])})
    if holes:
        raise ValueError(f"its files lack {len(holes)} weights, such as {holes[0]}")


def _is_memory(error: Exception) -> bool:
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    # The CPU's allocator and CUDA's libraries tell it in words.
    return any(words in str(error) for words in ("allocate memory", "out of memory"))


def _emptied() -> None:
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
