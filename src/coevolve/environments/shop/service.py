"""The shop over HTTP: the same episodes as in memory, held by number.

Enters JSON, leaves JSON; every refusal names the field. The number of live episodes is bounded and
nothing is kept on disk. There is no authentication: bind it to a private address.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from dataclasses import asdict, dataclass, field
from threading import RLock
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from coevolve.environments.shop.episode import Picture, ShopEpisode
from coevolve.environments.shop.shop import Shop
from coevolve.errors import WorldError
from coevolve.types import Action, Split, Task

Name = Annotated[str, Field(min_length=1, max_length=200)]
MAX_PICTURES = 64  # snapshots kept per episode; the oldest goes first


class TaskFields(BaseModel):
    """A whole task, as `Shop.tasks` makes it."""

    model_config = ConfigDict(extra="forbid")

    id: Name
    type: Name
    split: Split
    seed: int
    difficulty: int = Field(ge=1, le=3)
    opening: str
    refusal: bool = False
    spec: dict[str, Any]


class NewEpisode(BaseModel):
    """Either a task, or what makes one: its type, split and seed."""

    model_config = ConfigDict(extra="forbid")

    task: TaskFields | None = None
    type: Name | None = None
    split: Split = Split.TRAIN
    seed: int = Field(default=0, ge=0)


class Step(BaseModel):
    """One action."""

    model_config = ConfigDict(extra="forbid")

    tool: Name
    args: dict[str, Any] = Field(default_factory=dict)


class Restore(BaseModel):
    """Which snapshot to return to."""

    model_config = ConfigDict(extra="forbid")

    snapshot: int = Field(ge=0)


@dataclass(slots=True)
class _Live:
    episode: ShopEpisode
    pictures: OrderedDict[int, Picture] = field(default_factory=OrderedDict)
    taken: int = 0
    lock: RLock = field(default_factory=RLock)  # requests run in threads; steps of one episode must not mix


class _Desk:
    """The live episodes."""

    def __init__(self, shop: Shop, limit: int) -> None:
        self.shop = shop
        self.limit = limit
        self._live: dict[str, _Live] = {}
        self._lock = RLock()

    def open(self, task: Task) -> str:
        """Start an episode and number it."""
        live = _Live(self.shop.start(task))
        with self._lock:
            if len(self._live) >= self.limit:
                detail = f"{self.limit} episodes are live; DELETE one or raise the limit"
                raise HTTPException(429, detail)
            number = uuid.uuid4().hex
            self._live[number] = live
            return number

    def get(self, number: str) -> _Live:
        """A live episode, or 404."""
        with self._lock:
            live = self._live.get(number)
        if live is None:
            raise HTTPException(404, f"no live episode {number}")
        return live

    def close(self, number: str) -> None:
        """End an episode, or 404."""
        with self._lock:
            if self._live.pop(number, None) is None:
                raise HTTPException(404, f"no live episode {number}")


def create_app(shop: Shop | None = None, max_episodes: int = 1000) -> FastAPI:
    """The application.

    Args:
        shop: the world to serve; None: the package's own.
        max_episodes: live episodes at once; one more is answered 429.
    """
    desk = _Desk(shop or Shop(), max_episodes)
    app = FastAPI(title="coevolve shop", version="1")

    @app.get("/tools")
    def tools() -> list[dict[str, Any]]:
        """The tools and their JSON Schemas."""
        return [
            {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
            for spec in desk.shop.tools()
        ]

    @app.get("/types")
    def types() -> dict[str, bool]:
        """The task types, and whether each is a refusal type."""
        return dict(desk.shop.task_types())

    @app.post("/episodes", status_code=201)
    def open_episode(body: NewEpisode) -> dict[str, Any]:
        """Start an episode of a given or made task."""
        task = _task(desk.shop, body)
        try:
            number = desk.open(task)
        except WorldError as error:
            raise _unprocessable(("body", "task", "spec"), error.what) from error
        return {"id": number, "task": task.id, "type": task.type, "opening": task.opening}

    _episode_routes(app, desk)
    return app


def _episode_routes(app: FastAPI, desk: _Desk) -> None:
    @app.post("/episodes/{number}/step")
    def step(number: str, body: Step) -> dict[str, Any]:
        """Carry out one action; a refused call is a result with `error`."""
        live = desk.get(number)
        with live.lock:
            return asdict(live.episode.step(Action(body.tool, body.args)))

    @app.get("/episodes/{number}/checks")
    def checks(number: str) -> dict[str, Any]:
        """Verify the end state and the facts told."""
        live = desk.get(number)
        with live.lock:
            signals = live.episode.checks()
        return {
            "success": all(signal.score == 1 for signal in signals),
            "checks": [{"name": s.name, "score": s.score, "why": s.why} for s in signals],
        }

    @app.post("/episodes/{number}/snapshot", status_code=201)
    def snapshot(number: str) -> dict[str, int]:
        """Keep a picture of the state."""
        live = desk.get(number)
        with live.lock:
            taken = live.taken
            live.pictures[taken] = live.episode.snapshot()
            live.taken += 1
            if len(live.pictures) > MAX_PICTURES:
                live.pictures.popitem(last=False)
            return {"snapshot": taken}

    @app.post("/episodes/{number}/restore", status_code=204)
    def restore(number: str, body: Restore) -> Response:
        """Return to a kept picture."""
        live = desk.get(number)
        with live.lock:
            picture = live.pictures.get(body.snapshot)
            if picture is None:
                raise HTTPException(404, f"episode {number} keeps no snapshot {body.snapshot}")
            live.episode.restore(picture)
        return Response(status_code=204)

    @app.delete("/episodes/{number}", status_code=204)
    def close(number: str) -> Response:
        """End an episode and forget it."""
        desk.close(number)
        return Response(status_code=204)


def _task(shop: Shop, body: NewEpisode) -> Task:
    if body.task is not None:
        if body.type is not None:
            raise _unprocessable(("body", "type"), "give either a task or a type, not both")
        fields = body.task
        return Task(**{name: getattr(fields, name) for name in TaskFields.model_fields})
    if body.type is None:
        raise _unprocessable(("body", "type"), "give a task, or a type with split and seed")
    try:
        return shop.task(body.split, body.type, body.seed)
    except WorldError as error:
        raise _unprocessable(("body", "type"), error.what) from error


def _unprocessable(where: tuple[str, ...], what: str) -> HTTPException:
    """A 422 in the same form as the framework's own."""
    return HTTPException(422, [{"loc": list(where), "msg": what, "type": "value_error"}])
