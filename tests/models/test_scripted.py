from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coevolve.errors import ModelError
from coevolve.models.protocol import Sampling
from coevolve.models.scripted import END, ByteChat, Message, ScriptedModel

CHAT = ByteChat()


@given(st.lists(st.tuples(st.text(), st.sampled_from(["user", "tool"]), st.text()), max_size=3), st.text())
def test_a_conversation_is_read_back_from_its_ids(turns: list[tuple[str, str, str]], opening: str) -> None:
    ids = CHAT.open("Serve.", opening)
    expected = [Message("system", "Serve."), Message("user", opening)]
    for said, role, text in turns:
        ids += CHAT.encode_output(said) + CHAT.extend(role, text)
        expected += [Message("assistant", said)] if said else []
        expected.append(Message(role, text))
    clean = [Message(m.role, m.text.encode("utf-8", "replace").decode()) for m in expected]
    assert list(CHAT.messages(ids)) == clean


def test_a_cut_off_turn_is_closed_and_a_whole_one_is_not() -> None:
    whole = CHAT.encode_output("Hello")
    assert CHAT.close(whole) == ()
    assert CHAT.close(whole[:3]) == (END,)


async def test_the_function_sees_the_transcript_and_its_words_come_back_as_ids() -> None:
    seen: list[str] = []

    def answer(transcript: str) -> str:
        seen.append(transcript)
        return "Grüße"

    drawn = await ScriptedModel(answer).complete(CHAT.open("Serve.", "Hi"), Sampling())
    assert seen == ["system: Serve.\nuser: Hi"]
    assert (drawn.text, drawn.finished, drawn.ids) == ("Grüße", True, CHAT.encode_output("Grüße"))
    assert len(drawn.logprobs) == len(drawn.ids)


async def test_an_answer_over_its_token_limit_is_cut_off() -> None:
    drawn = await ScriptedModel(lambda _: "0123456789").complete(CHAT.open("s", "u"), Sampling(max_tokens=4))
    assert (drawn.text, drawn.finished, len(drawn.ids)) == ("0123", False, 4)


async def test_a_closed_model_answers_no_more() -> None:
    model = ScriptedModel(lambda _: "x")
    model.close()
    model.close()
    with pytest.raises(ModelError, match="closed"):
        await model.complete((), Sampling())
