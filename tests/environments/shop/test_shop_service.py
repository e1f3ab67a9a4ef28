from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
from fastapi.testclient import TestClient

from coevolve.environments.shop import Shop
from coevolve.environments.shop.service import MAX_PICTURES, create_app
from coevolve.types import Split


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(create_app(max_episodes=3)) as client:
        yield client


def opened(client: TestClient, **body: Any) -> str:
    response = client.post("/episodes", json=body)
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def test_over_http_an_episode_is_the_same_as_in_memory(client: TestClient, shop: Shop) -> None:
    for task in shop.tasks(Split.TRAIN, [], len(shop.task_types()), 2):
        episode = shop.start(task)
        number = opened(client, type=task.type, split="train", seed=task.seed)
        while not episode.done:
            _, action = shop.teacher().act(episode, task)
            here = asdict(episode.step(action))
            there = client.post(f"/episodes/{number}/step", json=asdict(action)).json()
            assert there == {**here, "events": list(here["events"])}
        verdict = client.get(f"/episodes/{number}/checks").json()
        assert verdict["success"] is True
        assert [check["name"] for check in verdict["checks"]] == [signal.name for signal in episode.checks()]
        assert client.delete(f"/episodes/{number}").status_code == 204


def test_a_whole_task_can_be_posted(client: TestClient, shop: Shop) -> None:
    task = shop.task(Split.LIVE, "cancel", 3)
    response = client.post("/episodes", json={"task": asdict(task)})
    assert response.json()["opening"] == task.opening


def test_snapshot_and_restore(client: TestClient) -> None:
    number = opened(client, type="price", seed=1)
    taken = client.post(f"/episodes/{number}/snapshot").json()["snapshot"]
    said = {"tool": "reply", "args": {"message": "Bye."}}
    assert client.post(f"/episodes/{number}/step", json=said).json()["done"] is True
    assert client.post(f"/episodes/{number}/restore", json={"snapshot": taken}).status_code == 204
    assert client.post(f"/episodes/{number}/step", json=said).json()["error"] is None
    assert client.post(f"/episodes/{number}/restore", json={"snapshot": 9}).status_code == 404
    for _ in range(MAX_PICTURES):
        client.post(f"/episodes/{number}/snapshot")
    assert client.post(f"/episodes/{number}/restore", json={"snapshot": taken}).status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "type"),
        ({"type": "prize"}, "type"),
        ({"type": "price", "split": "secret"}, "split"),
        ({"type": "price", "seed": -1}, "seed"),
        ({"type": "price", "colour": "red"}, "colour"),
        ({"task": {"id": "x"}}, "opening"),
    ],
)
def test_bad_input_is_answered_422_with_the_field(client: TestClient, body: Any, field: str) -> None:
    response = client.post("/episodes", json=body)
    assert response.status_code == 422
    assert any(field in error["loc"] for error in response.json()["detail"]), response.text


@pytest.mark.parametrize("part", ["world", "customer", "job", "expect"])
def test_a_broken_spec_is_answered_422(client: TestClient, shop: Shop, part: str) -> None:
    task = asdict(shop.task(Split.TRAIN, "cancel", 0))
    breakages: list[Any] = [{}, None, [], {"products": 3, "words": 4, "changes": 5, "facts": 6}]
    for broken in breakages:
        task["spec"] = {**task["spec"], part: broken}
        response = client.post("/episodes", json={"task": task})
        assert response.status_code == (201 if part == "job" else 422), (broken, response.text)
        if part == "job":
            client.delete(f"/episodes/{response.json()['id']}")


def test_bad_steps_are_refused(client: TestClient) -> None:
    number = opened(client, type="price")
    assert client.post(f"/episodes/{number}/step", json={"args": {}}).status_code == 422
    refused = client.post(f"/episodes/{number}/step", json={"tool": "get_product", "args": {}})
    assert refused.json()["error"] == "missing parameter name in get_product"
    assert client.post("/episodes/none/step", json={"tool": "ask"}).status_code == 404
    assert client.get("/episodes/none/checks").status_code == 404
    assert client.delete("/episodes/none").status_code == 404


def test_live_episodes_are_bounded(client: TestClient) -> None:
    numbers = [opened(client, type="price") for _ in range(3)]
    full = client.post("/episodes", json={"type": "price"})
    assert full.status_code == 429 and "DELETE" in full.json()["detail"]
    client.delete(f"/episodes/{numbers[0]}")
    opened(client, type="price")


def test_tools_and_types_are_listed(client: TestClient, shop: Shop) -> None:
    assert [tool["name"] for tool in client.get("/tools").json()] == [spec.name for spec in shop.tools()]
    assert client.get("/types").json() == dict(shop.task_types())
