"""SFT and DPO with LoRA: examples and pairs in, a candidate's adapter folder out.

Loss falls only on the agent's own recorded tokens. The folder that leaves is in PEFT's layout, with a
`parity.json` against which an engine can check that it runs the adapter as it was trained.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from safetensors import SafetensorError

from coevolve.errors import LearnError
from coevolve.examples import Pair
from coevolve.learn.checkpoints import WORK
from coevolve.learn.fit import Batch, Network, fit
from coevolve.learn.lesson import Lesson
from coevolve.learn.losses import imitation, preference
from coevolve.learn.open import open_network
from coevolve.learn.packing import Pack, Row, batches, pack, row_of
from coevolve.learn.plans import dpo_plan, drawn_pairs, sft_plan
from coevolve.models.parity import CLEAR, PARITY_FILE
from coevolve.need import need
from coevolve.sections import LearnSection
from coevolve.types import Candidate

_PARITY_PROMPTS = 3
_PARITY_TRIES = 9  # examples looked at for stretches that the adapter follows


def learn(
    base: Path,
    lesson: Lesson,
    settings: LearnSection,
    on_examples: Callable[[int], None] = lambda count: None,
    *,
    trainer: Literal["own", "trl"] = "own",
) -> Candidate:
    """Train one adapter. Interrupted, it goes on from its last checkpoint in `lesson.out`.

    Args:
        base: folder with the base model's safetensors.
        on_examples: told how many examples were learned, or looked at to validate, since it was last told.

    Raises: LearnError: nothing to learn from, a loss that is not finite, or a full disk.
    MissingExtraError: `trainer` is "trl" without TRL.
    """
    if not lesson.examples:
        raise LearnError("no examples to learn from", fix="collect more episodes, or add demonstrations")
    adapter = lesson.out / "adapter"
    train = _train_with_trl if trainer == "trl" else _train
    notes = train(base, lesson, settings, adapter, on_examples)
    _write_parity(base, lesson, settings, adapter)  # the trained network's memory is free by now
    return Candidate(adapter_dir=str(adapter), learner=settings.method, notes=notes)


def _train(
    base: Path, lesson: Lesson, settings: LearnSection, adapter: Path, on_examples: Callable[[int], None]
) -> dict[str, Any]:
    """Fit a network to the lesson and write its adapter; returns the candidate's notes."""
    work = lesson.out / WORK
    with _writing(lesson.out):
        work.mkdir(parents=True, exist_ok=True)
    network = open_network(
        base, adapter=lesson.adapter, rank=settings.rank, alpha=settings.alpha, seed=lesson.seed
    )
    rows = [row_of(example) for example in lesson.examples]
    names = [example.entry for example in lesson.examples]
    notes: dict[str, Any] = {"seed": lesson.seed, "examples": len(rows)}

    def sft_batches(epoch: int) -> Iterator[Batch]:
        rng = np.random.default_rng([lesson.seed, epoch])
        for indices in batches(rows, settings.batch_tokens, rng):
            packed = pack([rows[i] for i in indices])
            weigh = imitation(packed.weight_N, error_weight=settings.error_weight)
            yield Batch(packed, weigh, tuple(names[i] for i in indices))

    validation = [row_of(example) for example in lesson.validation]
    plan = sft_plan(lesson, settings)
    count = sum(1 for _ in batches(rows, settings.batch_tokens, np.random.default_rng([lesson.seed, 0])))
    validate = (
        (lambda: turn_accuracy(network, validation, settings.batch_tokens, on_examples))
        if validation
        else None
    )
    torch.manual_seed(lesson.seed)
    done = fit(network, sft_batches, count, plan, folder=work, validate=validate, on_batch=on_examples)
    notes |= {"sft": {"steps": done.steps, "tokens": done.tokens, "losses": list(done.losses)}}
    if done.validation:
        notes["sft"]["validation"] = list(done.validation)
    if settings.method == "sft+dpo" and lesson.pairs:
        notes["dpo"] = _prefer(network, lesson, settings, work, on_examples)
    with _writing(lesson.out):
        network.save(adapter)
    return notes


def _train_with_trl(
    base: Path, lesson: Lesson, settings: LearnSection, adapter: Path, on_examples: Callable[[int], None]
) -> dict[str, Any]:
    need("trl.trainer.sft_trainer", "trl")
    from coevolve.learn.with_trl import train

    with _writing(lesson.out):
        return train(base, lesson, settings, adapter, on_examples)


def turn_accuracy(
    network: Network,
    rows: Sequence[Row],
    batch_tokens: int,
    on_examples: Callable[[int], None] = lambda count: None,
) -> float:
    """Share of turns of which every token is the model's first choice, given what came before."""
    right: list[bool] = []
    for indices in batches(rows, batch_tokens, np.random.default_rng(0)):
        packed = pack([rows[i] for i in indices])
        hits = network.forward(packed, grad=False)[1].numpy()
        begins = np.flatnonzero(np.diff(packed.source_N.numpy(), prepend=-2) != 1)
        right += np.logical_and.reduceat(hits, begins).tolist()
        on_examples(len(indices))
    return float(np.mean(right))


def clear_stretch(own: Sequence[int], clear: Sequence[bool]) -> range:
    """The longest run of neighbouring positions `own` that are `clear`, as indices; the first of equals."""
    best, start = range(0), 0
    for k, position in enumerate(own):
        if not clear[k]:
            start = k + 1
            continue
        if k > start and position != own[k - 1] + 1:
            start = k
        if k + 1 - start > len(best):
            best = range(start, k + 1)
    return best


def _prefer(
    network: Network, lesson: Lesson, settings: LearnSection, work: Path, on_examples: Callable[[int], None]
) -> dict[str, Any]:
    """A DPO phase after imitation; the reference is the model as imitation left it."""
    dpo = settings.dpo
    rng = np.random.default_rng([lesson.seed, 1_000])
    pairs = drawn_pairs(lesson, settings, rng)
    rows = [row for pair in pairs for row in _pair_rows(pair)]
    heads = [rows[2 * k] for k in range(len(pairs))]
    groups = [list(group) for group in batches(heads, settings.batch_tokens // 2, rng)]
    packs: list[Pack] = [pack([rows[2 * k + side] for k in group for side in (0, 1)]) for group in groups]
    references = [network.forward(one, grad=False)[0].detach() for one in packs]

    def dpo_batches(epoch: int) -> Iterator[Batch]:
        for number in np.random.default_rng([lesson.seed, 2_000, epoch]).permutation(len(packs)):
            one = packs[number]
            loss = preference(references[number], one.row_N, beta=dpo.beta, sft_weight=dpo.sft_weight)
            yield Batch(one, loss, tuple(pairs[k].entry for k in groups[number]))

    plan = dpo_plan(lesson, settings)
    done = fit(network, dpo_batches, len(packs), plan, folder=work, on_batch=on_examples)
    return {"pairs": len(pairs), "steps": done.steps, "tokens": done.tokens, "losses": list(done.losses)}


def _pair_rows(pair: Pair) -> tuple[Row, Row]:
    context = (0.0,) * len(pair.prompt_ids)
    chosen = Row(pair.prompt_ids + pair.chosen_ids, context + (1.0,) * len(pair.chosen_ids))
    rejected = Row(pair.prompt_ids + pair.rejected_ids, context + (1.0,) * len(pair.rejected_ids))
    return chosen, rejected


def _write_parity(base: Path, lesson: Lesson, settings: LearnSection, adapter: Path) -> None:
    """Beside the adapter: outputs that its own argmax follows, from the saved files, in f32."""
    network = open_network(
        base, adapter=adapter, rank=settings.rank, alpha=settings.alpha, seed=0, exact=True
    )
    rows: list[dict[str, Any]] = []
    for example in sorted(lesson.examples, key=lambda one: len(one.ids))[:_PARITY_TRIES]:
        if len(rows) == _PARITY_PROMPTS:
            break
        logp_N, hit_N = network.forward(pack([row_of(example)]), grad=False)
        own = [position for position, ours in enumerate(example.mask) if ours]
        clear = [bool(hit) and float(logp) > CLEAR for hit, logp in zip(hit_N, logp_N, strict=True)]
        stretch = clear_stretch(own, clear)
        if not stretch:
            continue
        rows.append(
            {
                "prompt_ids": list(example.ids[: own[stretch.start]]),
                "output_ids": [example.ids[own[k]] for k in stretch],
                "logprobs": [round(float(logp_N[k]), 5) for k in stretch],
            }
        )
    if not rows:
        return  # it follows none of its examples anywhere: nothing that an engine could be held against
    with _writing(adapter):
        (adapter / PARITY_FILE).write_text(json.dumps(rows), encoding="utf-8")


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, SafetensorError) as error:
        raise LearnError(
            f"cannot write to {folder}: {error}", fix="free disk space, then --resume"
        ) from error
