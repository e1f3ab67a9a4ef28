"""The local engine: OpenVINO GenAI's continuous batching on the CPU, one pipeline per version.

Token ids and a `Sampling` enter, ids with log-probabilities leave; requests may join at any time. A
version's adapter is merged into the weights that its pipeline loads: OpenVINO's own adapters halve the
speed, share one prefix cache, and requests with different ones silently run with one of them. Between
two steps the event loop is given time until every episode that can ask has asked, so that batches, and
with them the rounding, are the same from run to run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from coevolve.errors import ModelError
from coevolve.models.chat import TokenChat, load_chat
from coevolve.models.ir import check_adapter, ir_folder, merge_adapter
from coevolve.models.protocol import ChatFormat, Completion, Sampling
from coevolve.models.requests import Request, RequestQueue
from coevolve.models.weights import Weights, building, f16_gguf, torch_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How the engine uses the machine."""

    precision: Literal["f32", "f16", "bf16"] = "f32"  # of arithmetic; f32 equals the training side to 0.003
    cache_gb: int = 1  # of keys and values
    batch_tokens: int = 1024  # at most in one step
    batch_requests: int = 96  # at most in one step
    threads: int = 0  # 0 = all cores


@dataclass(slots=True)
class OpenVinoModel:
    """A `LanguageModel`. Made by `open_model`; a first request with the shared prompt fills its cache."""

    name: str
    chat: ChatFormat
    tokens: TokenChat  # the same format, with what only the engine needs
    pipeline: Any
    _queue: RequestQueue = field(init=False)
    _running: list[Request] = field(default_factory=list)
    _count: int = 0

    def __post_init__(self) -> None:
        self._queue = RequestQueue(self.name, self._drive)

    async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
        """One completion. Raises ModelError: deadline missed, or the engine failed."""
        return await self._queue.ask(prompt_ids, sampling)

    def close(self) -> None:
        """Free the pipeline's memory. Idempotent."""
        self._queue.close()
        self.pipeline = None

    async def _drive(self) -> None:
        queue = self._queue
        try:
            while queue.waiting or self._running:
                await queue.settle()
                self._admit()
                if self._running:
                    await queue.in_thread(self.pipeline.step)
                self._collect()
        except (RuntimeError, ValueError) as error:  # what the engine's binding raises
            failed = ModelError(f"the engine of {self.name} failed: {error}", fix="see `coevolve doctor`")
            queue.fail((*queue.take(), *self._running), failed)
            self._running.clear()

    def _admit(self) -> None:
        import openvino

        for request in self._queue.take():
            self._count += 1
            ids = openvino.Tensor(np.asarray(request.ids, dtype=np.int64)[None])
            try:
                request.handle = self.pipeline.add_request(self._count, ids, self._config(request.sampling))
            except (RuntimeError, ValueError) as error:  # this request's own fault, such as a bad grammar
                refused = ModelError(
                    f"the engine of {self.name} refused a request: {error}",
                    fix="set agent.constrained = false, or simplify the tools' schemas",
                )
                self._queue.fail([request], refused)
                continue
            self._running.append(request)

    def _collect(self) -> None:
        import openvino_genai

        still: list[Request] = []
        for request in self._running:
            if request.handle.get_status() == openvino_genai.GenerationStatus.RUNNING:
                if request.done.done():
                    request.handle.cancel()
                still.append(request)
            elif not request.done.done():
                self._queue.finish(request, self._completion(request.handle.read_all()[0]))
        self._running = still

    def _completion(self, output: Any) -> Completion:
        import openvino_genai

        ids = tuple(map(int, output.generated_ids))
        return Completion(
            ids=ids,
            logprobs=tuple(map(float, output.generated_log_probs)),
            text=self.tokens.decode(ids),
            finished=output.finish_reason == openvino_genai.GenerationFinishReason.STOP,
        )

    def _config(self, sampling: Sampling) -> Any:
        import openvino_genai

        config = openvino_genai.GenerationConfig()
        config.max_new_tokens = sampling.max_tokens
        config.eos_token_id = self.tokens.end_id
        config.stop_token_ids = {self.tokens.end_id}
        config.logprobs = 1
        config.rng_seed = sampling.seed
        config.do_sample = sampling.temperature > 0
        if config.do_sample:
            config.temperature = sampling.temperature
            config.top_k = 2**31 - 1
            config.top_p = 1.0
        if sampling.grammar is not None:
            structured = openvino_genai.StructuredOutputConfig()
            structured.grammar = sampling.grammar
            config.structured_output_config = structured
        return config


def open_model(
    weights: Weights, *, adapter: Path | None = None, options: EngineOptions | None = None
) -> OpenVinoModel:
    """Load a base model, with one adapter or none (3 to 5 s, about 1 GB).

    Raises: ModelError: weights or adapter are missing or do not fit.
    """
    import openvino_genai

    options = options or EngineOptions()
    folder = torch_folder(weights)
    if adapter is not None:
        check_adapter(adapter, folder)
    properties: dict[str, Any] = {"INFERENCE_PRECISION_HINT": options.precision}
    if options.threads:
        properties["INFERENCE_NUM_THREADS"] = options.threads
    scheduler = openvino_genai.SchedulerConfig()
    scheduler.cache_size = options.cache_gb
    scheduler.enable_prefix_caching = True
    scheduler.max_num_batched_tokens = options.batch_tokens
    scheduler.max_num_seqs = options.batch_requests
    tokenizer = openvino_genai.Tokenizer(str(f16_gguf(weights)))
    if adapter is None:
        pipeline = _pipeline(ir_folder(weights), tokenizer, scheduler, properties)
    else:
        with building(weights.folder) as merged:
            merge_adapter(ir_folder(weights), adapter, merged)
            pipeline = _pipeline(merged, tokenizer, scheduler, properties)
    name = weights.id if adapter is None else f"{weights.id}+{adapter.parent.name[:12]}"
    chat = load_chat(folder)
    return OpenVinoModel(name=name, chat=chat, tokens=chat, pipeline=pipeline)


def _pipeline(source: Path, tokenizer: Any, scheduler: Any, properties: dict[str, Any]) -> Any:
    import openvino_genai

    try:
        return openvino_genai.ContinuousBatchingPipeline(
            str(source), tokenizer, scheduler, "CPU", **properties
        )
    except RuntimeError as error:
        raise ModelError(f"OpenVINO cannot load {source}: {error}", fix="see `coevolve doctor`") from error
