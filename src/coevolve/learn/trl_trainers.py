"""TRL's trainers as this project runs them: on token ids, at its own rates, in silence, resumable.

A PEFT model and a dataset of token ids enter, a trainer leaves; `fit` runs it. No text is tokenised: the
trainers hold a tokenizer that knows the padding token alone. Nothing is reported or downloaded. Checkpoints
are those of transformers: adapters as safetensors, the optimiser's state as torch archives that are read back
with `weights_only`. It does not protect against others who may write to the run's folder.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isfinite
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import EarlyStoppingCallback, PreTrainedTokenizerFast, PrinterCallback, TrainerCallback
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer
from trl.trainer.dpo_trainer import DataCollatorForPreference

from coevolve.errors import LearnError
from coevolve.learn.fit import CLIP_NORM, schedule
from coevolve.learn.peft_network import training_device
from coevolve.learn.plans import Plan
from coevolve.models.weights import quiet
from coevolve.sections import DpoSection

_PAD = 0  # masked wherever it stands, so any token will do
_SCORE = "eval_turn_accuracy"
_FULL_DISK = ("iostream error", "inline_container.cc")  # how torch's archives say it


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """One phase of a lesson, as a trainer is told it."""

    plan: Plan
    folder: Path  # its checkpoints
    examples: int  # or pairs, of an epoch
    batch: int  # of them at once
    seed: int
    exact: bool  # all arithmetic in f32 instead of bf16
    on_examples: Callable[[int], None]

    @property
    def epoch_steps(self) -> int:
        """Optimiser steps of an epoch; its last one takes what is left."""
        return ceil(ceil(self.examples / self.batch) / self.plan.accumulate)


class _Private:
    """What no trainer may do here: tell others that it trains, or write cards about it."""

    def _send_telemetry(self) -> None:
        pass

    def create_model_card(self, *_: object, **__: object) -> None:
        pass


class _Imitation(_Private, SFTTrainer):  # type: ignore[misc]
    """Judges by the share of turns that are right token by token, as the project's own loop does."""

    on_examples: Callable[[int], None]

    def evaluate(self, eval_dataset: Any = None, *_: object, **__: object) -> dict[str, float]:
        self.model.eval()
        right: list[bool] = []
        for batch in self.get_eval_dataloader(eval_dataset):
            with torch.no_grad(), self.accelerator.autocast():
                found = self.model(**batch, fused_lm_head=True)
            for own_T, hit_T in zip(found.label_mask.cpu(), found.is_top1.cpu(), strict=True):
                own = np.flatnonzero(own_T.numpy())
                begins = np.flatnonzero(np.diff(own, prepend=-2) != 1)
                right += np.logical_and.reduceat(hit_T.numpy()[own], begins).tolist()
            self.on_examples(len(found.label_mask))
        metrics = {_SCORE: float(np.mean(right))}
        self.log(metrics)
        self.control: Any = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics


class _Preference(_Private, DPOTrainer):  # type: ignore[misc]
    """Takes pairs as token ids: TRL's preparation would tokenise text, whatever columns there are."""

    def _prepare_dataset(self, dataset: Dataset, *_: object) -> Dataset:
        return dataset


class _Watch(TrainerCallback):  # type: ignore[misc]
    """Tells progress, and stops at a loss that is not finite."""

    def __init__(self, course: Course) -> None:
        self.course = course

    def on_step_end(self, args: Any, state: Any, control: Any, **_: object) -> None:
        size = self.course.batch * self.course.plan.accumulate
        before = (state.global_step - 1) % self.course.epoch_steps * size
        self.course.on_examples(min(size, self.course.examples - before))

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float], **_: object) -> None:
        if not isfinite(loss := logs.get("loss", 0.0)):
            raise LearnError(
                f"the loss became {loss} at step {state.global_step} of {self.course.plan.phase}",
                fix='lower learn.learning_rate, or find the entry by model.trainer = "own", which names it',
            )


def imitation(model: Any, train: Dataset, validation: Dataset | None, course: Course) -> SFTTrainer:
    """TRL's trainer of SFT over columns `input_ids` and `labels` (-100 bears no loss)."""
    judged: dict[str, Any] = {}
    if validation is not None:
        judged = {"eval_strategy": "epoch", "save_strategy": "epoch", "load_best_model_at_end": True}
        judged |= {"metric_for_best_model": _SCORE, "greater_is_better": True}
    with quiet():
        trainer = _Imitation(
            model=model,
            args=SFTConfig(**_arguments(course) | judged, dataset_kwargs={"skip_prepare_dataset": True}),
            train_dataset=train,
            eval_dataset=validation,
            processing_class=_mute_tokenizer(),
            callbacks=[_Watch(course)],
            optimizers=_optimizers(model, course),
        )
    trainer.on_examples = course.on_examples
    if validation is not None and course.plan.patience:
        trainer.add_callback(EarlyStoppingCallback(course.plan.patience))
    return trainer


def preference(model: Any, pairs: Dataset, dpo: DpoSection, course: Course) -> DPOTrainer:
    """TRL's trainer of DPO over columns `prompt_ids`, `chosen_ids` and `rejected_ids`.

    The reference is the model as it enters, kept as a second adapter named "ref".
    """
    losses = {"loss_type": ["sigmoid", "sft"], "loss_weights": [1.0, dpo.sft_weight]}
    with quiet():
        return _Preference(
            model=model,
            args=DPOConfig(**_arguments(course), **losses, beta=dpo.beta),
            train_dataset=pairs,
            data_collator=DataCollatorForPreference(pad_token_id=_PAD),
            processing_class=_mute_tokenizer(),
            callbacks=[_Watch(course)],
            optimizers=_optimizers(model, course),
        )


def fit(trainer: SFTTrainer | DPOTrainer, course: Course) -> dict[str, Any]:
    """Train to the end, from the last whole checkpoint on; returns steps, epochs and each epoch's mean loss.

    Raises: LearnError: a loss that is not finite. OSError: the disk is full.
    """
    trainer.remove_callback(PrinterCallback)
    try:
        with quiet():
            trainer.train(resume_from_checkpoint=_last_checkpoint(course.folder))
    except RuntimeError as error:
        if any(words in str(error) for words in _FULL_DISK):
            raise OSError(str(error)) from error
        raise
    losses: dict[int, list[float]] = defaultdict(list)
    for row in trainer.state.log_history:
        if "loss" in row:
            losses[(row["step"] - 1) // course.epoch_steps].append(row["loss"])
    notes = {
        "steps": trainer.state.global_step,
        "epochs": trainer.state.epoch,
        "losses": [float(np.mean(losses[epoch])) for epoch in sorted(losses)],
    }
    scores = [row[_SCORE] for row in trainer.state.log_history if _SCORE in row]
    return notes | {"validation": scores} if scores else notes


def _arguments(course: Course) -> dict[str, Any]:
    return {
        "output_dir": str(course.folder),
        "per_device_train_batch_size": course.batch,
        "per_device_eval_batch_size": course.batch,
        "gradient_accumulation_steps": course.plan.accumulate,
        "num_train_epochs": course.plan.epochs,
        "max_grad_norm": CLIP_NORM,
        "max_length": None,  # what was recorded is learned whole
        "seed": course.seed,
        "bf16": not course.exact,
        "use_cpu": training_device().type == "cpu",
        "activation_checkpointing": False,
        "save_strategy": "steps",
        "save_steps": course.plan.checkpoint_steps,
        "save_total_limit": 1,
        "restore_callback_states_from_checkpoint": True,
        "logging_steps": 1,
        "logging_nan_inf_filter": False,
        "disable_tqdm": True,
        "report_to": "none",
    }


def _optimizers(model: Any, course: Course) -> tuple[torch.optim.AdamW, torch.optim.lr_scheduler.LambdaLR]:
    """The optimiser and rates of the project's own loop."""
    optimizer = torch.optim.AdamW(
        [one for one in model.parameters() if one.requires_grad],
        lr=course.plan.learning_rate,
        weight_decay=course.plan.weight_decay,
        fused=True,
    )
    total = max(1, course.plan.epochs * course.epoch_steps)
    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: schedule(step, total))


def _mute_tokenizer() -> PreTrainedTokenizerFast:
    """What TRL insists on; any text is to it the padding token."""
    known = Tokenizer(WordLevel({"<pad>": _PAD}, unk_token="<pad>"))
    return PreTrainedTokenizerFast(tokenizer_object=known, pad_token="<pad>")


def _last_checkpoint(folder: Path) -> str | None:
    """The newest one that was written whole: its trainer's state is written last."""
    found = sorted(folder.glob("checkpoint-*"), key=lambda one: int(one.name.rpartition("-")[2]))
    for one in reversed(found):
        try:
            json.loads((one / "trainer_state.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        return str(one)
    return None
