from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from coevolve.agents.harness import (
    Attempt,
    Exploration,
    Harness,
    Retry,
    harness_from_json,
    harness_to_json,
    system_prompt,
)
from coevolve.agents.solo import run_episode
from coevolve.environments.protocol import StepResult
from coevolve.errors import ConfigError, ModelError
from coevolve.models.protocol import Completion, Sampling
from coevolve.models.scripted import END, ByteChat, ScriptedModel
from coevolve.types import Party, StopReason, Task, Trajectory
from toy_world import RELEASE, ToyEpisode, ToyWorld, solver, toy_task

HARNESS = Harness(max_tokens=200)
ATTEMPT = Attempt(version="v1", seed=7)


@pytest.fixture(autouse=True)
def _let_hanging_steps_end() -> Iterator[None]:
    RELEASE.clear()
    yield
    RELEASE.set()


class _Watched(ScriptedModel):
    """Remembers what it was asked."""

    def __init__(self, fn: Callable[[str], str] = solver) -> None:
        super().__init__(fn)
        self.prompts: list[tuple[int, ...]] = []
        self.samplings: list[Sampling] = []

    async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
        self.prompts.append(tuple(prompt_ids))
        self.samplings.append(sampling)
        return await super().complete(prompt_ids, sampling)


async def _run(
    model: ScriptedModel, task: Task, harness: Harness = HARNESS, attempt: Attempt = ATTEMPT
) -> Trajectory:
    return await run_episode(model, ToyWorld(), task, harness=harness, attempt=attempt)


async def test_a_solved_task_is_recorded_whole() -> None:
    trajectory = await _run(ScriptedModel(solver), toy_task())
    assert (trajectory.stop, trajectory.failure) == (StopReason.DONE, None)
    assert [turn.action.tool for turn in trajectory.turns if turn.action] == ["add", "reply"]
    assert [check.score for check in trajectory.checks] == [1.0]
    first, second = trajectory.turns
    assert (first.index, first.observation, first.result) == (0, "Count to 3, please.", '{"count": 3}')
    assert second.observation == first.result
    assert (first.thought, first.available, first.events) == ("Adding.", ("add", "reply"), ("added",))


async def test_the_recorded_ids_are_exactly_what_the_model_saw_and_said() -> None:
    model = _Watched()
    trajectory = await _run(model, toy_task())
    seen: tuple[int, ...] = ()
    for turn, prompt in zip(trajectory.turns, model.prompts, strict=True):
        seen += turn.context_ids
        assert seen == prompt
        assert len(turn.logprobs) == len(turn.output_ids)
        seen += turn.output_ids


async def test_the_system_prompt_holds_the_briefing_and_each_tool() -> None:
    model = _Watched()
    await _run(model, toy_task())
    system = ByteChat().messages(model.prompts[0])[0].text
    assert system == system_prompt(ToyWorld())
    assert "add(amount: integer)\n" in system
    assert "add(amount: integer) - Add to the counter" in system_prompt(ToyWorld(), "descriptions")
    await _run(model, toy_task(), Harness(system="Own words.", max_tokens=200))
    assert ByteChat().messages(model.prompts[-1])[0].text == "Own words."


async def test_a_text_without_an_action_is_a_turn_and_the_agent_can_recover() -> None:
    def stumbling(transcript: str) -> str:
        return solver(transcript) if "Not a valid action" in transcript else "Let me think."

    trajectory = await _run(ScriptedModel(stumbling), toy_task())
    stumble = trajectory.turns[0]
    assert stumble.action is None
    assert stumble.error is not None
    assert "no JSON object" in stumble.error
    assert stumble.result.startswith("Not a valid action: no JSON object")
    assert (trajectory.stop, trajectory.checks[0].score) == (StopReason.DONE, 1.0)


async def test_three_texts_in_a_row_without_an_action_end_the_episode_as_the_agents_own_doing() -> None:
    trajectory = await _run(ScriptedModel(lambda _: "Hm."), toy_task())
    assert len(trajectory.turns) == 3
    assert (trajectory.stop, trajectory.failure) == (StopReason.TURN_BUDGET, None)
    assert trajectory.turns[-1].events == ("malformed_limit",)
    assert trajectory.checks[0].score == -1.0


async def test_a_mended_text_acts_and_the_mending_is_recorded() -> None:
    trajectory = await _run(ScriptedModel(lambda seen: solver(seen).removesuffix("}")), toy_task())
    assert trajectory.turns[0].events == ("repaired: missing last brace", "added")
    assert trajectory.checks[0].score == 1.0


async def test_a_cut_off_output_is_explained_and_its_end_opens_the_next_context() -> None:
    trajectory = await _run(ScriptedModel(solver), toy_task(), Harness(max_tokens=20))
    first, second = trajectory.turns[:2]
    assert first.error is not None
    assert "cut off" in first.error
    assert first.output_ids[-1] != END
    assert second.context_ids[0] == END


async def test_a_refused_call_is_the_turns_error_and_the_agent_goes_on() -> None:
    def rash(transcript: str) -> str:
        return solver(transcript) if "refused" in transcript else '{"tool": "add", "amount": -1}'

    trajectory = await _run(ScriptedModel(rash), toy_task())
    assert trajectory.turns[0].error == "negative amount"
    assert trajectory.checks[0].score == 1.0


@pytest.mark.parametrize(
    ("harness", "stop", "turns"),
    [
        (Harness(max_tokens=200, max_turns=2), StopReason.TURN_BUDGET, 2),
        (Harness(max_tokens=200, max_episode_tokens=800, max_turns=50), StopReason.TOKEN_BUDGET, None),
        (Harness(max_tokens=200, seconds=-1.0), StopReason.TIME_BUDGET, 0),
    ],
)
async def test_each_budget_ends_an_endless_episode(
    harness: Harness, stop: StopReason, turns: int | None
) -> None:
    harness = replace(harness, repeat_limit=100)
    endless = ScriptedModel(lambda _: '{"tool": "add", "amount": 0}')
    trajectory = await _run(endless, toy_task(), harness)
    assert (trajectory.stop, trajectory.failure) == (stop, None)
    assert turns is None or len(trajectory.turns) == turns
    assert sum(len(t.context_ids) + len(t.output_ids) for t in trajectory.turns) <= harness.max_episode_tokens
    assert trajectory.checks


async def test_going_round_in_circles_ends_the_episode() -> None:
    endless = ScriptedModel(lambda _: '{"tool": "add", "amount": 0}')
    trajectory = await _run(endless, toy_task(), Harness(max_tokens=200, max_turns=9, repeat_limit=3))
    assert len(trajectory.turns) == 3
    assert trajectory.turns[-1].events[-1] == "repeat_limit"
    assert trajectory.failure is None
    assert trajectory.checks


@pytest.mark.parametrize("trouble", ["start", "crash", "checks"])
@pytest.mark.parametrize("isolated", [False, True])
async def test_a_crashing_world_is_the_environments_failure(trouble: str, isolated: bool) -> None:
    harness = Harness(max_tokens=200, isolate_steps=isolated)
    trajectory = await _run(ScriptedModel(solver), toy_task(trouble=trouble), harness)
    assert trajectory.stop is StopReason.FAILED
    assert trajectory.failure is not None
    assert trajectory.failure.party is Party.ENVIRONMENT
    assert "Error" in trajectory.failure.why
    assert trajectory.checks == ()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (None, "step() gave NoneType"),
        (StepResult(None, "tool"), "an observation and an error are text"),  # type: ignore[arg-type]
        (StepResult("fine", "tool", error=404), "an observation and an error are text"),  # type: ignore[arg-type]
        (StepResult("fine", "tool", events=["a"]), "events are a tuple"),  # type: ignore[arg-type]
    ],
)
async def test_an_answer_that_is_none_is_the_environments_failure(
    monkeypatch: pytest.MonkeyPatch, answer: StepResult | None, why: str
) -> None:
    monkeypatch.setattr(ToyEpisode, "step", lambda self, action: answer)
    trajectory = await _run(ScriptedModel(solver), toy_task(), HARNESS)
    assert trajectory.failure is not None
    assert trajectory.failure.party is Party.ENVIRONMENT
    assert why in trajectory.failure.why


async def test_an_isolated_step_that_raises_stop_iteration_is_told_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ToyEpisode, "step", lambda self, action: next(iter(())))
    harness = Harness(max_tokens=200, isolate_steps=True, step_timeout_s=30.0)
    trajectory = await _run(ScriptedModel(solver), toy_task(), harness)
    assert trajectory.failure is not None and "StopIteration" in trajectory.failure.why


async def test_a_hanging_isolated_world_is_the_environments_failure() -> None:
    harness = Harness(max_tokens=200, isolate_steps=True, step_timeout_s=0.02)
    trajectory = await _run(ScriptedModel(solver), toy_task(trouble="hang"), harness)
    assert trajectory.failure is not None
    assert trajectory.failure.party is Party.ENVIRONMENT
    assert "0.02 s" in trajectory.failure.why


@pytest.mark.parametrize("error", [ModelError("engine gone", fix="restart it"), RuntimeError("bad kernel")])
async def test_a_broken_model_is_the_models_failure_and_earlier_turns_are_kept(error: Exception) -> None:
    def breaking(transcript: str) -> str:
        if '"count": 3' in transcript:
            raise error
        return solver(transcript)

    trajectory = await _run(ScriptedModel(breaking), toy_task())
    assert trajectory.failure is not None
    assert trajectory.failure.party is Party.MODEL
    assert str(error.args[0]).splitlines()[0] in trajectory.failure.why
    assert len(trajectory.turns) == 1


class _Silent(ScriptedModel):
    async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
        await asyncio.Event().wait()
        raise AssertionError


async def test_an_episodes_deadline_names_whom_it_was_waiting_for() -> None:
    attempt = Attempt(version="v1", seed=7, deadline_s=0.02)
    trajectory = await _run(_Silent(solver), toy_task(), attempt=attempt)
    assert trajectory.failure is not None
    assert trajectory.failure.party is Party.MODEL
    assert "deadline" in trajectory.failure.why


async def test_cancellation_is_never_swallowed() -> None:
    running = asyncio.create_task(_run(_Silent(solver), toy_task()))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_each_turn_has_its_own_seed_and_the_same_attempt_has_the_same_ones() -> None:
    one, two, other = _Watched(), _Watched(), _Watched()
    first = await _run(one, toy_task())
    second = await _run(two, toy_task())
    third = await _run(other, toy_task(), attempt=Attempt(version="v1", seed=8))
    seeds = [sampling.seed for sampling in one.samplings]
    assert len(set(seeds)) == len(seeds)
    assert seeds == [sampling.seed for sampling in two.samplings]
    assert seeds != [sampling.seed for sampling in other.samplings]
    assert first.id == second.id != third.id


async def test_exploration_forces_a_tool_through_the_grammar_and_marks_the_turn() -> None:
    model = _Watched()
    always = Attempt(version="v1", seed=7, explore=Exploration(1.0))
    trajectory = await _run(model, toy_task(), attempt=always)
    assert all(turn.explored for turn in trajectory.turns)
    assert all(sampling.grammar and "tool_1" not in sampling.grammar for sampling in model.samplings)
    plain = await _run(ScriptedModel(solver), toy_task())
    assert not any(turn.explored for turn in plain.turns)


def test_exploration_draws_at_its_rate_and_reaches_every_tool() -> None:
    tools = ToyWorld().tools()
    drawn = [Exploration(0.25, seed=1).tool(tools, seed, 0) for seed in range(2000)]
    forced = [tool for tool in drawn if tool is not None]
    assert 0.2 < len(forced) / len(drawn) < 0.3
    assert set(forced) == {"add", "reply"}


async def test_an_unconstrained_harness_asks_for_free_text() -> None:
    model = _Watched()
    await _run(model, toy_task(), Harness(max_tokens=200, constrained=False))
    assert {sampling.grammar for sampling in model.samplings} == {None}


def test_a_harness_survives_its_manifest_and_an_unknown_field_is_refused() -> None:
    harness = Harness(max_turns=5, system="x")
    assert harness_from_json(harness_to_json(harness)) == harness
    with pytest.raises(ConfigError, match="max_turn"):
        harness_from_json({"max_turn": 5})


class _Dice(ScriptedModel):
    """Says at the first turn what the seed decides, some of it likelier; solves the task from there."""

    def __init__(self, *said: tuple[str, float]) -> None:
        super().__init__(solver)
        self.said, self.asked = said, 0

    async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
        drawn = await super().complete(prompt_ids, sampling)
        if '"count"' in drawn.text or "Count to" not in ByteChat().decode(prompt_ids[-40:]):
            return drawn
        text, logprob = self.said[self.asked % len(self.said)]
        self.asked += 1
        ids = self.chat.encode_output(text)
        return Completion(ids=ids, logprobs=(logprob / len(ids),) * len(ids), text=text, finished=True)


def _saying(tool: str, amount: int) -> str:
    return f'{tool}.\n{{"tool": "{tool}", "amount": {amount}}}'


async def test_a_retry_says_the_likeliest_that_was_not_tried() -> None:
    tried, likely, rare = _saying("add", 7), _saying("add", 3), _saying("add", 9)
    model = _Dice((tried, -0.1), (rare, -5.0), (likely, -1.0), ("Hm.", -0.2))
    retry = Retry(parent="p", tried=frozenset({tried}), draws=4)
    trajectory = await _run(model, toy_task(), attempt=replace(ATTEMPT, retry=retry))
    assert model.asked == 4
    assert trajectory.turns[0].raw == likely
    assert (trajectory.parent, trajectory.stop) == ("p", StopReason.DONE)


async def test_a_retry_whose_every_draw_was_tried_goes_on_with_the_likeliest() -> None:
    tried = _saying("add", 7)
    retry = Retry(parent="p", tried=frozenset({tried}), draws=3)
    trajectory = await _run(_Dice((tried, -0.1)), toy_task(), attempt=replace(ATTEMPT, retry=retry))
    assert trajectory.turns[0].raw == tried
