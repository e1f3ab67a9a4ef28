"""The benchmark of the store: the same bodies for all, a truth for duplicates, every key in its file."""

from __future__ import annotations

import http.server
import json
import random
import sys
import threading
import time
import types
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path.append(str(ROOT))

from benchmarks.page import page  # noqa: E402
from benchmarks.store_data import Load, bodies, episode, episodes, trajectory  # noqa: E402
from benchmarks.store_dedup import EDITS, by_pool, jaccard, judge, plant  # noqa: E402
from benchmarks.store_figures import figures_of  # noqa: E402
from benchmarks.store_parts import PARTS  # noqa: E402
from benchmarks.store_queries import timed  # noqa: E402
from benchmarks.store_send import send  # noqa: E402
from benchmarks.store_servers import kept, ours, peers  # noqa: E402
from benchmarks.store_writers import writers  # noqa: E402

from benchmarks import store as bench  # noqa: E402
from benchmarks import store_detectors as detectors  # noqa: E402
from coevolve.errors import StoreError  # noqa: E402
from coevolve.store import open_store  # noqa: E402
from coevolve.store.ingest.assemble import assemble  # noqa: E402
from coevolve.store.ingest.spans import read_spans  # noqa: E402
from coevolve.store.spans import append_spans  # noqa: E402

KEYS = {
    "ingest_rows_s_ours",
    "ingest_rows_s_mlflow",
    "ingest_rows_s_phoenix",
    "ingest_ratio_vs_best_peer",
    "lost_after_kill",
    "query_p99_ms",
    "postgres_1m_query_p99_ms",
    "dedup_recall",
    "dedup_precision",
    "dedup_s",
    "hack_alarm_rate",
    "honest_alarm_rate",
    "redaction_recall",
    "redaction_precision",
}
LOAD = Load(3, turns=4, turn_bytes=600)


@contextmanager
def serving(statuses: list[int]) -> Iterator[tuple[int, list[bytes]]]:
    """A server that answers with these statuses, then with 200, and what it was sent."""
    got: list[bytes] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(statuses.pop(0) if statuses else 200)
            self.send_header("Content-Length", "0")
            self.send_header("Retry-After", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield int(server.server_address[1]), got
        server.shutdown()
        thread.join()


def test_a_seed_makes_the_same_episodes_however_many_there_are() -> None:
    found = list(episodes(LOAD))
    assert found == list(episodes(LOAD))
    assert found[1] == episode(Load(1_000_000, LOAD.turns, LOAD.turn_bytes), 1)
    assert list(episodes(Load(3, 4, 600, seed=1))) != found
    assert len({row for one in found for row in one.span_ids()}) == LOAD.rows


def test_a_turn_is_about_as_large_as_asked_for() -> None:
    sizes = [len(told.heard) + len(told.said) for one in episodes(Load(5)) for told in one.turns]
    assert 1700 < sum(sizes) / len(sizes) < 2300


def test_spans_and_trajectories_tell_the_same_episode() -> None:
    found = list(episodes(LOAD))
    spans = []
    rows: list[str] = []
    for body in bodies(found, 2, time.time()):
        read, refused = read_spans(body.data, content_type="application/x-protobuf", now_s=time.time())
        assert refused == []
        spans += read
        rows += body.rows
    assert rows == [row for one in found for row in one.span_ids()]
    made = {one.id.partition(":")[0]: one for one in assemble(spans)}
    for one in found:
        assembled, native = made[one.trace_id], trajectory(one)
        assert [turn.observation for turn in assembled.turns] == [turn.observation for turn in native.turns]
        assert [turn.action for turn in assembled.turns] == [turn.action for turn in native.turns]
        assert (assembled.agent, assembled.failure) == (native.agent, native.failure)


def test_only_rows_of_turns_count_as_kept(tmp_path: Path) -> None:
    found = list(episodes(LOAD))
    with closing(open_store(f"sqlite:///{tmp_path / 'x.db'}")) as store:
        for body in bodies(found, 3, time.time()):
            spans, _ = read_spans(body.data, content_type="application/x-protobuf", now_s=time.time())
            append_spans(store, spans, time.time())
    assert kept(ours(), tmp_path) == {row for one in found for row in one.span_ids()}


def test_a_server_that_pushes_back_is_sent_the_same_again_and_a_refusal_is_noted() -> None:
    made = list(bodies(list(episodes(LOAD)), 1, time.time()))
    with serving([429, 503, 500]) as (port, got):
        sent = send(port, {}, made, senders=1, budget_s=30)
    assert (sent.pushed_back, len(sent.refused)) == (2, 1)
    assert got == [made[0].data] * 3 + [made[1].data, made[2].data]
    assert sent.acknowledged == [*made[1].rows, *made[2].rows]


def test_a_dead_server_ends_the_sending() -> None:
    with serving([]) as (port, _):
        pass
    sent = send(port, {}, bodies(list(episodes(LOAD)), 1, time.time()), senders=2, budget_s=30)
    assert sent.acknowledged == []


def test_planted_copies_fall_on_both_sides_of_the_threshold_and_are_judged_by_exact_similarity() -> None:
    texts, pairs = plant(400, 0)
    assert {pair.kind for pair in pairs} == set(EDITS)
    assert all(pair.similarity == jaccard(texts[pair.original], texts[pair.copy]) for pair in pairs)
    assert 0.2 < sum(pair.similarity >= 0.8 for pair in pairs) / len(pairs) < 0.95
    perfect = {pair.copy: pair.original for pair in pairs if pair.similarity >= 0.8}
    assert judge(texts, pairs, perfect, 0.8)["recall"] == judge(texts, pairs, perfect, 0.8)["precision"] == 1
    greedy = {pair.copy: pair.original for pair in pairs}
    assert judge(texts, pairs, greedy, 0.8)["precision"] < 1
    assert judge(texts, pairs, {}, 0.8)["recall"] == 0


def test_the_pools_detector_finds_planted_copies_and_no_near_misses() -> None:
    texts, pairs = plant(600, 1)
    found = judge(texts, pairs, by_pool(texts, 0.8, 0), 0.8)
    assert (found["recall"], found["precision"], found["near_misses_dropped"]) == (1, 1, 0)


def test_writers_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    found = writers(tmp_path, threads=6, processes=2, own=2, shared=3)
    for how, count in (("threads", 6), ("processes", 2)):
        row = found[how]
        assert [row[key] for key in ("lost", "doubled", "changed", "errors")] == [0, 0, 0, 0]
        assert row["trajectories"] == 2 * count + 3


def test_a_question_is_asked_warm_and_its_latency_is_in_milliseconds() -> None:
    asked: list[float] = []

    def ask(rng: random.Random) -> int:
        asked.append(rng.random())
        return 7

    found = timed({"by_id": ask}, 10, 0)["by_id"]
    assert len(asked) == 20
    assert found["answers"] == 7
    assert 0 <= found["p50_ms"] <= found["p99_ms"] < 1000


def test_peers_that_are_not_installed_are_named_with_the_line_that_installs_them(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as wrong:
        peers(tmp_path)
    assert "make peers" in wrong.value.fix


def test_every_key_is_there_and_null_where_nothing_was_measured() -> None:
    found = figures_of({})
    assert set(found) >= KEYS
    assert set(found.values()) == {None}


def test_the_ratio_is_to_the_faster_peer_and_the_slowest_question_counts() -> None:
    rows = {"ours": 1000.0, "mlflow": 100.0, "phoenix": 50.0}
    asked = {"by_id": {"p99_ms": 3.0}, "last_100": {"p99_ms": 9.0}}
    found = figures_of(
        {
            "ingest": {name: {"rows_s": rate} for name, rate in rows.items()},
            "queries": {"ours": {"queries": asked}},
            "postgres": {"error": "no server"},
        }
    )
    assert found["ingest_ratio_vs_best_peer"] == 10
    assert found["query_p99_ms"] == 9
    assert found["postgres_1m_query_p99_ms"] is None


def test_parts_are_run_alone_into_the_same_file_and_shown_on_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--quick", "--out", str(tmp_path), "--folder", str(tmp_path), "--only"]
    assert bench.main([*arguments, "disk"]) == 0
    assert bench.main([*arguments, "dedup"]) == 0
    data = json.loads((tmp_path / "store.quick.json").read_text(encoding="utf-8"))
    assert set(data["parts"]) == {"disk", "dedup"}
    assert set(data["figures"]) >= KEYS
    assert data["figures"]["dedup_recall"] >= 0.95
    assert data["figures"]["ingest_rows_s_ours"] is None
    made = page({"store.quick": data})
    assert "### Near-duplicates" in made
    assert "### Many writers" not in made
    assert "dedup_recall" in capsys.readouterr().out


def test_peers_that_are_not_asked_for_keep_their_rows_with_the_date_on_which_they_were_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"p50_ms": 1.0, "p99_ms": 7.0, "answers": 1.0, "asked": 9}
    row = {"trajectories": 9, "queries": {"by_id": asked}}
    before = {
        "machine": {"cores": 1, "mlflow": "3.1"},
        "parts": {
            "queries": {"ours": row, "mlflow": row, "phoenix": {"error": "gone"}, "date": "2020-01-02"}
        },
    }
    file = tmp_path / "store.quick.json"
    file.write_text(json.dumps(before), encoding="utf-8")
    faster = {"trajectories": 9, "queries": {"by_id": {**asked, "p99_ms": 2.0}}}
    monkeypatch.setitem(PARTS, "queries", lambda _: {"ours": faster})
    arguments = ["--quick", "--out", str(tmp_path), "--folder", str(tmp_path)]
    for more in (["--only", "queries"], ["--only", "queries"]):
        assert bench.main([*arguments, *more]) == 0
        data = json.loads(file.read_text(encoding="utf-8"))
        assert (data["figures"]["query_p99_ms"], data["figures"]["query_p99_ms_mlflow"]) == (2.0, 7.0)
        assert data["parts"]["queries"]["mlflow"]["date"] == "2020-01-02"
        assert data["machine"]["mlflow"] == "3.1"
        assert data["command"].endswith("--peers .venv-peers")
    assert "MLflow was measured on 2020-01-02." in page({"store.quick": data})


def test_detectors_have_a_value_for_each_seed_and_the_file_says_which(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    marks = [
        types.SimpleNamespace(kind="pin", text=text, secrets=("4711",)) for text in ("pin: 4711", "x 4711")
    ]
    made = types.SimpleNamespace(planted=lambda seed: marks[: seed + 1], look_alikes=lambda seed: [])
    monkeypatch.setitem(detectors.SECRETS, "fresh", (made,))
    found = detectors.redaction([0, 1])
    assert (found["recall"], found["precision"], found["texts"]) == ([1.0, 0.5], [1.0, 1.0], 3)
    assert found["missed_by_kind"] == {"pin": 1}
    runs = types.SimpleNamespace(name="quits", versions=("a", "b"), trajectories=(), onset="a")
    both = types.SimpleNamespace(hacking_runs=lambda *_: [runs], honest_runs=lambda *_: [runs])
    monkeypatch.setitem(detectors.HACKS, "fresh", both)
    hacked = detectors.hacking([3, 4])
    assert (hacked["in_time_rate"], hacked["honest_alarm_rate"]) == ([0.0, 0.0], [0.0, 0.0])
    assert hacked["versions_late"] == {"quits/3": None, "quits/4": None}
    parts = {"detectors": {"redaction": found, "hacking": hacked}}
    assert figures_of(parts)["redaction_recall"] == [1.0, 0.5]
    assert figures_of(parts)["hack_alarm_rate"] == [0.0, 0.0]


def test_the_page_shows_a_number_or_one_for_each_seed_beside_what_is_asked_for() -> None:
    data = {"machine": "m", "command": "c", "date": "d", "seeds": [0, 1], "parts": {}}
    made = page({"store": {**data, "figures": {"hack_alarm_rate": [1.0, 0.75], "honest_alarm_rate": 0.01}}})
    assert "| `hack_alarm_rate` | 1, 0.75 | 1 |" in made
    assert "| `honest_alarm_rate` | 0.01 | <= 0.05 |" in made


def test_a_part_that_cannot_be_measured_says_why(tmp_path: Path) -> None:
    code = bench.main(["--quick", "--out", str(tmp_path), "--folder", str(tmp_path), "--only", "queries"])
    assert code == 1
    data = json.loads((tmp_path / "store.quick.json").read_text(encoding="utf-8"))
    assert "coevolve was not measured: there is nothing to ask yet" in page({"store.quick": data})


def test_ours_takes_everything_and_keeps_it_through_a_kill(tmp_path: Path) -> None:
    arguments = ["--quick", "--out", str(tmp_path), "--folder", str(tmp_path)]
    assert bench.main([*arguments, "--only", "ingest", "kill"]) == 0
    parts = json.loads((tmp_path / "store.quick.json").read_text(encoding="utf-8"))["parts"]
    row = parts["ingest"]["ours"]
    assert (row["rows"], row["lost"], row["refused"]) == (row["offered"], 0, 0)
    assert parts["kill"]["ours"]["lost"] == 0
