"""What opens and trains models: this machine, or a server behind an endpoint, which only opens.

A config enters, an `Engine` leaves; a model it opened is held by the workspace, which closes it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

from coevolve.config import RunConfig
from coevolve.errors import ConfigError, LearnError, ModelError
from coevolve.learn.lesson import Lesson
from coevolve.models.protocol import ChatFormat, LanguageModel, Sampling
from coevolve.models.weights import Weights, find_weights, torch_folder
from coevolve.need import need
from coevolve.progress import progress
from coevolve.sections import LearnSection
from coevolve.types import Candidate


class Engine(Protocol):
    """Opens what acts, and trains it. The local one is `LocalEngine`; a test brings its own."""

    base: str  # id of the base model
    chat: ChatFormat

    async def open(self, adapter: Path | None, prefix_ids: Sequence[int]) -> LanguageModel:
        """A model with this adapter, its shared prompt warmed up and its parity checked."""
        ...

    def learn(self, lesson: Lesson, settings: LearnSection, on_examples: Callable[[int], None]) -> Candidate:
        """An adapter of the base model that has learned the lesson. Blocks while it trains.

        Raises: LearnError: the base cannot be trained here, or the training failed.
        """
        ...


class LocalEngine:
    """A base model on this machine, by OpenVINO or by transformers; what it acts with can be trained.

    Every form of the weights is made here, so that a model which cannot serve is refused before a run has
    begun, while `model.engine` can still be changed.

    Raises: ModelError: the model is missing, broken, or of an architecture that its engine does not know.
    MissingExtraError: a package that it needs is not installed.
    """

    def __init__(self, config: RunConfig) -> None:
        need("tokenizers", "local")  # the first of the extra's packages that is touched
        from coevolve.models.chat import load_chat
        from coevolve.models.ir import ir_folder

        cache = Path(config.model.cache_dir) if config.model.cache_dir else None
        self.weights: Weights = find_weights(config.model.name, cache)
        self.base = self.weights.id
        forms = [torch_folder, *([ir_folder] if config.model.engine == "openvino" else [])]
        with progress(len(forms), "prepare the model, once on this machine", "forms") as bar:
            for make in forms:
                make(self.weights)
                bar.advance()
        self.chat: ChatFormat = load_chat(torch_folder(self.weights))
        self._section = config.model

    async def open(self, adapter: Path | None, prefix_ids: Sequence[int]) -> LanguageModel:
        """Load a model of its own for this adapter (about 5 s)."""
        from coevolve.models.parity import base_parity, check_parity

        reference = self._section.engine == "transformers"  # what a base is held against, so not itself
        recorded = adapter
        with progress(3, "open the model", "steps") as bar:
            if adapter is None and not reference:
                recorded = await asyncio.to_thread(base_parity, self.weights)
            bar.advance()
            load = self._transformers if reference else self._openvino
            model = await asyncio.to_thread(load, adapter)
            bar.advance()
            try:
                # A first answer: it fills a prefix cache where there is one, and fails early where it must.
                await model.complete(prefix_ids, Sampling(max_tokens=1))
                if recorded is not None:
                    await check_parity(model, recorded, exact=reference or self._section.precision == "f32")
            except BaseException:
                model.close()
                raise
        return model

    def learn(self, lesson: Lesson, settings: LearnSection, on_examples: Callable[[int], None]) -> Candidate:
        """Train in torch, on the same weights."""
        from coevolve.learn.learner import learn

        base = torch_folder(self.weights)
        return learn(base, lesson, settings, on_examples, trainer=self._section.trainer)

    def _openvino(self, adapter: Path | None) -> LanguageModel:
        from coevolve.models.openvino import EngineOptions, open_model

        return open_model(
            self.weights, adapter=adapter, options=EngineOptions(precision=self._section.precision)
        )

    def _transformers(self, adapter: Path | None) -> LanguageModel:
        from coevolve.models.hf import open_model

        return open_model(self.weights, adapter=adapter)


class EndpointEngine:
    """A model behind an OpenAI-compatible endpoint: it acts and is measured, but is not trained here."""

    def __init__(self, config: RunConfig) -> None:
        from coevolve.models.scripted import ByteChat

        self.base = f"{config.model.base_url}#{config.model.name}"
        self.chat: ChatFormat = ByteChat()
        self._section = config.model

    async def open(self, adapter: Path | None, prefix_ids: Sequence[int]) -> LanguageModel:
        """A client; adapters cannot be sent to an endpoint."""
        from coevolve.models.endpoint import Endpoint, EndpointModel

        if adapter is not None:
            raise ConfigError(
                "an endpoint cannot be given a local adapter",
                fix='set model.engine = "openvino" or "transformers"',
            )
        asked = asdict(self._section.endpoint)
        asked["grammar_field"] = asked["grammar_field"] or None
        asked |= {"base_url": self._section.base_url, "api_key_env": self._section.api_key_env}
        return EndpointModel(Endpoint(model=self._section.name, **asked))

    def learn(self, lesson: Lesson, settings: LearnSection, on_examples: Callable[[int], None]) -> Candidate:
        """Refused: its weights are elsewhere."""
        raise LearnError(
            f"{self.base} cannot be trained here",
            fix='set model.engine = "openvino" or "transformers", or run.max_rounds = 0 to measure it alone',
        )


def engine_of(config: RunConfig, source: str = "config") -> Engine:
    """The engine that a config names.

    Args: source: the file that the config is from, for errors.
    Raises: ModelError: the model is not on this machine, or cannot serve, naming the file and the field.
    """
    try:
        return EndpointEngine(config) if config.model.engine == "endpoint" else LocalEngine(config)
    except ModelError as error:
        raise ModelError(f"{source}: {error.what}", fix=error.fix) from error
