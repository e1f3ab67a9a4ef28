"""A lesson taught by TRL: `model.trainer = "trl"`, for training on a GPU.

Examples and pairs enter as recorded token ids, the adapter's folder leaves, as from the project's own loop
(`coevolve.learn.learner`). A finished phase leaves its adapter behind, so that a later one that is
interrupted does not repeat it. What the trainers do not protect against: see `coevolve.learn.trl_trainers`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset

from coevolve.errors import LearnError
from coevolve.examples import Example, Pair
from coevolve.learn.checkpoints import phase_folder
from coevolve.learn.lesson import Lesson
from coevolve.learn.packing import Row, batches, first_targets, row_of
from coevolve.learn.peft_network import halve_frozen, load_peft, save_peft, training_device
from coevolve.learn.plans import dpo_plan, drawn_pairs, sft_plan
from coevolve.learn.trl_trainers import Course, fit, imitation, preference
from coevolve.sections import LearnSection

_IGNORED = -100  # a label that bears no loss
_DONE = "done"  # inside a phase's folder: what it left when it finished
_NOTES = "notes.json"


def train(
    base: Path,
    lesson: Lesson,
    settings: LearnSection,
    adapter: Path,
    on_examples: Callable[[int], None] = lambda count: None,
    *,
    exact: bool = False,
) -> dict[str, Any]:
    """Teach the lesson and write the adapter; returns the candidate's notes.

    A batch holds as many examples as the own loop's packs of `learn.batch_tokens` do on average, so an epoch
    has as many steps, at the same rates.

    Args: exact: all arithmetic in f32 instead of bf16.
    Raises: LearnError: settings or a machine that TRL does not serve, or a loss that is not finite.
    """
    _refuse(settings)
    first_targets([row_of(one) for one in (*lesson.examples, *lesson.validation)])
    model = load_peft(
        base,
        adapter=lesson.adapter,
        rank=settings.rank,
        alpha=settings.alpha,
        seed=lesson.seed,
        attention="sdpa",
    )
    if not exact:
        halve_frozen(model.get_base_model())
    model.to(training_device())
    notes: dict[str, Any] = {"seed": lesson.seed, "examples": len(lesson.examples), "trainer": "trl"}
    course = _sft_course(lesson, settings, exact, on_examples)
    notes["sft"] = _once(model, course, lambda: _imitate(model, lesson, course))
    if settings.method == "sft+dpo" and lesson.pairs:
        pairs, later = _dpo_course(lesson, settings, course)
        notes["dpo"] = _once(model, later, lambda: _prefer(model, pairs, settings, later))
    save_peft(model, adapter)
    return notes


def _refuse(settings: LearnSection) -> None:
    if settings.error_weight:
        raise LearnError(
            "TRL's trainers weight all tokens alike, but learn.error_weight is not 0",
            fix='set learn.error_weight = 0, or model.trainer = "own"',
        )
    if torch.cuda.device_count() > 1:
        raise LearnError(
            f"TRL trains on one GPU in this process, which sees {torch.cuda.device_count()}",
            fix="set CUDA_VISIBLE_DEVICES=0",
        )


def _sft_course(
    lesson: Lesson, settings: LearnSection, exact: bool, on_examples: Callable[[int], None]
) -> Course:
    plan = sft_plan(lesson, settings)
    return Course(
        plan=plan,
        folder=phase_folder(lesson.out, plan.phase, plan.lesson),
        examples=len(lesson.examples),
        batch=_batch([row_of(one) for one in lesson.examples], settings.batch_tokens, lesson.seed),
        seed=lesson.seed,
        exact=exact,
        on_examples=on_examples,
    )


def _dpo_course(lesson: Lesson, settings: LearnSection, sft: Course) -> tuple[list[Pair], Course]:
    """The pairs of the phase after imitation, the same as the own loop draws, and how they are learned."""
    pairs = drawn_pairs(lesson, settings, np.random.default_rng([lesson.seed, 1_000]))
    plan = dpo_plan(lesson, settings)
    heads = [Row(one.prompt_ids + one.chosen_ids, ()) for one in pairs]
    return pairs, replace(
        sft,
        plan=plan,
        folder=phase_folder(lesson.out, plan.phase, plan.lesson),
        examples=len(pairs),
        batch=_batch(heads, settings.batch_tokens // 2, lesson.seed),
    )


def _batch(rows: Sequence[Row], tokens: int, seed: int) -> int:
    """How many rows a pack of so many tokens holds on average."""
    return ceil(len(rows) / sum(1 for _ in batches(rows, tokens, np.random.default_rng([seed, 0]))))


def _imitate(model: Any, lesson: Lesson, course: Course) -> dict[str, Any]:
    validation = _examples(lesson.validation) if lesson.validation else None
    trainer = imitation(model, _examples(lesson.examples), validation, course)
    return _notes(fit(trainer, course), sum(len(one.ids) for one in lesson.examples))


def _prefer(model: Any, pairs: Sequence[Pair], settings: LearnSection, course: Course) -> dict[str, Any]:
    columns = ("prompt_ids", "chosen_ids", "rejected_ids")
    dataset = Dataset.from_dict({name: [list(getattr(one, name)) for one in pairs] for name in columns})
    found = fit(preference(model, dataset, settings.dpo, course), course)
    model.delete_adapter("ref")
    tokens = sum(2 * len(one.prompt_ids) + len(one.chosen_ids) + len(one.rejected_ids) for one in pairs)
    return {"pairs": len(pairs)} | _notes(found, tokens)


def _notes(found: dict[str, Any], epoch_tokens: int) -> dict[str, Any]:
    return found | {"tokens": round(found.pop("epochs") * epoch_tokens)}


def _once(model: Any, course: Course, learn: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The notes of a phase; one that finished before is taken over with its adapter, not repeated."""
    done = course.folder / _DONE
    if done.is_dir():
        model.load_adapter(str(done), "default", is_trainable=True)
        notes: dict[str, Any] = json.loads((done / _NOTES).read_text(encoding="utf-8"))
        return notes
    notes = learn()
    building = done.with_suffix(".new")
    save_peft(model, building)
    (building / _NOTES).write_text(json.dumps(notes), encoding="utf-8")
    os.replace(building, done)
    return notes


def _examples(examples: Sequence[Example]) -> Dataset:
    labels = [
        [token if own else _IGNORED for token, own in zip(one.ids, one.mask, strict=True)] for one in examples
    ]
    return Dataset.from_dict({"input_ids": [list(one.ids) for one in examples], "labels": labels})
