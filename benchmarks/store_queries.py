"""The same questions to each product: a trajectory by id, failed ones of an agent, the last 100, the alike.

Each is asked of the product's own interface: ours in Python, since the store has no HTTP interface for
reading, the peers over HTTP on a connection that is kept, which costs them a millisecond or two. Lists are
without bodies everywhere. Asking for what is alike is only possible here: neither peer offers it.
"""

from __future__ import annotations

import http.client
import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from benchmarks.store_data import AGENTS, Episode
from benchmarks.store_servers import Running

from coevolve.database.vector_type import DIMS
from coevolve.errors import MissingExtraError
from coevolve.models.embeddings import open_embedder
from coevolve.store import Store
from coevolve.store.query import Query
from coevolve.store.vectors import Vectors

LISTED = 100  # of a list
NEAREST = 10
QUERIES = ("by_id", "agent_failed", "last_100", "similar_to")
_WARM = 20  # questions of each kind before any is timed
_VECTOR_BATCH = 500
_MOST_S = 45.0  # of asking one question: a product that takes seconds for each is asked less often
_LEAST = 20  # times that it is asked nevertheless
_SEEN = 200  # characters of an opening that are encoded

Ask = Callable[[random.Random], int]  # asks once, and says how much came back


def timed(asks: Mapping[str, Ask], repeats: int, seed: int) -> dict[str, Any]:
    """Latency of each question in milliseconds; each asks for something else every time."""
    found: dict[str, Any] = {}
    for name, ask in asks.items():
        rng = random.Random(f"{seed}:{name}")
        for _ in range(min(_WARM, repeats)):
            ask(rng)
        took: list[float] = []
        came: list[int] = []
        until = time.monotonic() + _MOST_S
        while len(took) < repeats and (time.monotonic() < until or len(took) < _LEAST):
            began = time.perf_counter()
            came.append(ask(rng))
            took.append(1000 * (time.perf_counter() - began))
        p50, p99 = np.quantile(took, (0.5, 0.99), method="higher").tolist()
        found[name] = {
            "p50_ms": round(p50, 3),
            "p99_ms": round(p99, 3),
            "answers": round(float(np.mean(came)), 1),
            "asked": len(took),
        }
    return found


def of_store(store: Store, ids: Sequence[str], vectors_ND: np.ndarray | None = None) -> dict[str, Ask]:
    """Our questions. Args: vectors_ND: to look for the neighbours of; random ones where there are none."""
    vectors = Vectors(store.database)

    def alike(rng: random.Random) -> int:
        if vectors_ND is None:
            wanted_D = np.random.default_rng(rng.getrandbits(32)).normal(size=DIMS).astype(np.float32)
        else:
            wanted_D = vectors_ND[rng.randrange(len(vectors_ND))]
        return len(vectors.nearest(wanted_D, NEAREST))

    return {
        "by_id": lambda rng: len(store.get(rng.choice(ids)).turns),
        "agent_failed": lambda rng: len(
            store.rows(Query(agent=rng.choice(AGENTS), failed=True, limit=LISTED))
        ),
        "last_100": lambda rng: len(store.rows(Query(limit=LISTED))),
        "similar_to": alike,
    }


def of_mlflow(running: Running, ids: Sequence[str]) -> dict[str, Ask]:
    """MLflow's REST interface; a span's name tells the agent, and is quicker to find than an attribute."""
    there = {"locations": [{"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": "0"}}]}
    newest = {**there, "max_results": LISTED, "order_by": ["timestamp_ms DESC"]}
    ask = _asking(running)

    def failed(rng: random.Random) -> int:
        words = f"trace.status = 'ERROR' AND span.name = 'invoke_agent {rng.choice(AGENTS)}'"
        return len(
            ask("POST", "/api/3.0/mlflow/traces/search", {**newest, "filter": words}).get("traces", [])
        )

    return {
        "by_id": lambda rng: len(
            ask("GET", f"/api/3.0/mlflow/traces/get?trace_id=tr-{rng.choice(ids)}")["trace"]["spans"]
        ),
        "agent_failed": failed,
        "last_100": lambda rng: len(ask("POST", "/api/3.0/mlflow/traces/search", newest)["traces"]),
    }


def of_phoenix(running: Running, ids: Sequence[str]) -> dict[str, Ask]:
    """Phoenix's REST interface."""
    ask = _asking(running)
    start = "/v1/projects/default"

    def failed(rng: random.Random) -> int:
        words = f"name=invoke_agent%20{rng.choice(AGENTS)}&status_code=ERROR&parent_id=null&limit={LISTED}"
        return len(ask("GET", f"{start}/spans?{words}")["data"])

    return {
        "by_id": lambda rng: len(ask("GET", f"{start}/spans?trace_id={rng.choice(ids)}&limit=1000")["data"]),
        "agent_failed": failed,
        "last_100": lambda rng: len(ask("GET", f"{start}/traces?limit={LISTED}")["data"]),
    }


def _asking(running: Running) -> Callable[..., Any]:
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=300)

    def ask(method: str, path: str, body: object = None) -> Any:
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        said = answer.read()
        if answer.status != 200:
            raise OSError(f"{method} {path}: {answer.status} {said[:300]!r}")
        return json.loads(said)

    return ask


def add_vectors(store: Store, texts: Mapping[str, str]) -> tuple[np.ndarray, str]:
    """A vector for each of these trajectories, of the beginning of its text.

    Returns: the vectors, shape (N, 384), and how they were made: "encoded" or, without the encoder, "random".
    """
    try:
        found_ND = open_embedder().embed([text[:_SEEN] for text in texts.values()])
        made = "encoded"
    except MissingExtraError:
        found_ND, made = random_vectors(len(texts), 0), "random"
    keep_vectors(store, list(texts), found_ND)
    return found_ND, made


def random_vectors(count: int, seed: int) -> np.ndarray:
    """Directions without any structure: shape (count, 384), the hardest there are for an index."""
    return np.random.default_rng(seed).normal(size=(count, DIMS)).astype(np.float32)


def keep_vectors(store: Store, ids: Sequence[str], vectors_ND: np.ndarray) -> None:
    """Store vectors, some hundreds a transaction."""
    vectors = Vectors(store.database)
    for start in range(0, len(ids), _VECTOR_BATCH):
        some = range(start, min(start + _VECTOR_BATCH, len(ids)))
        vectors.append({ids[at]: vectors_ND[at] for at in some})


def openings(load: Sequence[Episode], ids: Mapping[str, str]) -> dict[str, str]:
    """Trajectory id -> what the user said first. Args: ids: trace id -> trajectory id."""
    return {ids[one.trace_id]: one.turns[0].heard for one in load if one.trace_id in ids}
