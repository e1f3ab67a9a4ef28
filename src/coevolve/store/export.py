"""Trajectories out of the store into one file, which appears under its name once all of it is on the disk.

A query enters; a file leaves in one of three forms, and with it how many trajectories it holds. `jsonl` and
`parquet` lose nothing and are read again by `read_exported`; `chat` is OpenAI's chat form. The column
`messages` of `chat` and of `parquet` is what trainers such as TRL's take. Texts are as the store has them:
redacted where what came in was. Exported files are not kept count of: who forgets a user must know of them.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from coevolve.codec import canonical_json, from_json, to_json
from coevolve.errors import CoevolveError, StoreError
from coevolve.store.chat_form import Message, Setting, messages_of
from coevolve.store.experience import Store
from coevolve.store.query import Query
from coevolve.types import Trajectory

_AT_ONCE = 100  # trajectories in memory, and rows of one group of a Parquet file
_FUNCTION = pa.struct([("name", pa.string()), ("arguments", pa.string())])
_CALL = pa.struct([("id", pa.string()), ("type", pa.string()), ("function", _FUNCTION)])
_MESSAGE = pa.struct(
    [
        ("role", pa.string()),
        ("content", pa.string()),
        ("tool_calls", pa.list_(_CALL)),
        ("tool_call_id", pa.string()),
    ]
)
_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "session_id", "task_id", "task_type", "split")),
        ("difficulty", pa.int64()),
        *((name, pa.string()) for name in ("version", "agent", "parent", "stop", "failed_party", "outcome")),
        ("reward", pa.float64()),
        ("turns", pa.int64()),
        ("messages", pa.list_(_MESSAGE)),
        ("tools", pa.string()),
        ("trajectory_json", pa.string()),
    ]
)


class Form(StrEnum):
    """What an exported file is."""

    JSONL = "jsonl"  # a trajectory a line, as the codec writes it, with its latest scoring
    PARQUET = "parquet"  # a row each: columns to query by, its messages, the whole as JSON
    CHAT = "chat"  # a chat a line in OpenAI's form, which `coevolve experience import` reads too


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    path: str
    trajectories: int
    left_out: int  # without a decision of the agent, so that there is no chat
    size_bytes: int


def export(
    store: Store, path: str | Path, form: Form, query: Query | None = None, setting: Setting | None = None
) -> Exported:
    """Write the trajectories that match to a new file, in order of arrival and of one moment.

    Args: setting: system prompts and tools for the messages.

    Raises: StoreError: the file is there already, or the disk refuses; then nothing is left of it.
    """
    path, told = Path(path), setting or Setting()
    counts = {"written": 0, "left_out": 0}
    with closing(store.stream(query, _AT_ONCE)) as found, _whole(path) as file:
        if form is Form.PARQUET:
            with pq.ParquetWriter(file, _SCHEMA, compression="zstd") as writer:
                while some := list(islice(found, _AT_ONCE)):
                    writer.write_table(
                        pa.Table.from_pylist([_row(one, told) for one in some], schema=_SCHEMA)
                    )
                    counts["written"] += len(some)
        else:
            line: Callable[[Trajectory], bytes | None] = (
                _json_line if form is Form.JSONL else lambda one: _chat_line(one, told)
            )
            for one in found:
                written = line(one)
                counts["left_out" if written is None else "written"] += 1
                file.write(written or b"")
    return Exported(str(path), counts["written"], counts["left_out"], path.stat().st_size)


def read_exported(path: str | Path) -> Iterator[Trajectory]:
    """The trajectories of a `jsonl` or `parquet` file, a few in memory at once.

    Raises: StoreError: it cannot be read, or holds something else (named).
    """
    path, place = Path(path), 0
    try:
        for body in _bodies(path):
            place += 1
            yield from_json(Trajectory, json.loads(body))
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error}", fix="name a file that was exported") from error
    except (ValueError, KeyError, pa.ArrowException, CoevolveError) as error:
        raise StoreError(
            f"{path}, record {place or 1}: {error}", fix="name a file exported as jsonl or parquet"
        ) from error


def _bodies(path: Path) -> Iterator[str | bytes]:
    with path.open("rb") as file:
        if file.read(4) != b"PAR1":  # how every Parquet file begins
            file.seek(0)
            yield from (line for line in file if line.strip())
            return
    with pq.ParquetFile(path) as held:
        for some in held.iter_batches(_AT_ONCE, columns=["trajectory_json"]):
            yield from some.column(0).to_pylist()


@contextmanager
def _whole(path: Path) -> Iterator[IO[bytes]]:
    """A file under another name until it is complete. Its owner alone may read it."""
    if path.exists():
        raise StoreError(f"{path} is there already", fix="name another file, or remove this one")
    building: str | None = None
    try:
        handle, building = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        with open(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(building, path)
        building = None
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror or error}",
            fix="free space there, or name a file in a folder that can be written; nothing is half written",
        ) from error
    finally:
        if building is not None:
            with suppress(OSError):
                os.unlink(building)


def _json_line(one: Trajectory) -> bytes:
    return canonical_json(to_json(one)) + b"\n"


def _chat_line(one: Trajectory, setting: Setting) -> bytes | None:
    messages = messages_of(one, setting)
    if not _decided(messages):
        return None
    chat: dict[str, Any] = {"messages": messages}
    if setting.tools:
        chat["tools"] = list(setting.tools)
    chat |= {"id": one.id, "session_id": one.session_id, "task_type": one.task.type}
    chat |= {"agent": one.agent, "version": one.version}
    return json.dumps(chat, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _decided(messages: Iterable[Message]) -> bool:
    return any(message["role"] == "assistant" for message in messages)


def _row(one: Trajectory, setting: Setting) -> dict[str, Any]:
    task, reward = one.task, one.reward
    texts = {
        "id": one.id,
        "session_id": one.session_id,
        "task_id": task.id,
        "task_type": task.type,
        "split": task.split.value,
        "version": one.version,
        "agent": one.agent,
        "parent": one.parent,
        "stop": one.stop.value,
        "failed_party": one.failure.party.value if one.failure is not None else None,
        "outcome": reward.outcome.value if reward is not None and reward.outcome is not None else None,
    }
    return {
        **texts,
        "difficulty": task.difficulty,
        "reward": reward.total if reward is not None else None,
        "turns": len(one.turns),
        "messages": messages_of(one, setting),
        "tools": json.dumps(list(setting.tools)) if setting.tools else None,
        "trajectory_json": canonical_json(to_json(one)).decode("ascii"),
    }
