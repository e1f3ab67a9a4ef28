"""Versions, standings, verdicts: what may move and what may not."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from coevolve.errors import RegistryError, StoreError
from coevolve.registry import ALLOWED, Registry, make_version, open_registry
from coevolve.types import Decision, Standing, TypeFigures, Verdict, Version


def version(number: int, parent: Version | None = None) -> Version:
    return make_version(
        base="smol@1",
        harness={"prompt": "help", "turns": 8},
        adapters={"solo": f"{number:064d}"},
        parent=parent.id if parent else None,
        notes={"seed": number, "loss": 0.5},
    )


BASE = version(0)
A, B, C = (version(number, BASE) for number in (1, 2, 3))


def verdict(
    candidate: Version, champion: Version, decision: Decision = Decision.ACCEPT, seed: int = 0
) -> Verdict:
    figures = TypeFigures(
        type="all",
        refusal=False,
        tasks=100,
        champion_rate=0.5,
        candidate_rate=0.7,
        difference=0.2,
        low=0.1,
        high=0.3,
        wins=25,
        losses=5,
    )
    return Verdict(
        champion=champion.id,
        candidate=candidate.id,
        decision=decision,
        why="measured",
        overall=figures,
        types=(),
        steps={"champion": 3.0, "candidate": 2.5},
        seed=seed,
    )


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "x.db"
    registry = open_registry(f"sqlite:///{path}")
    registry.add(BASE, Standing.CHAMPION)
    for each in (A, B, C):
        registry.add(each)
    registry.close()
    return path


@pytest.fixture
def registry(tmp_path: Path, filled: Path) -> Iterator[Registry]:
    shutil.copy(filled, tmp_path / "x.db")
    registry = open_registry(f"sqlite:///{tmp_path}/x.db")
    yield registry
    registry.close()


def standings(registry: Registry) -> dict[str, Standing]:
    names = {BASE.id: "base", A.id: "a", B.id: "b", C.id: "c"}
    return {names[each.id]: standing for each, standing, _ in registry.versions()}


def force(registry: Registry, version: Version, standing: Standing) -> None:
    with registry.database.write() as connection:
        connection.execute(
            sa.text("UPDATE versions SET standing = :s WHERE id = :i"), {"s": standing, "i": version.id}
        )


def test_an_id_is_a_stable_hash_of_everything_but_itself() -> None:
    # Pinned: existing databases and pools name versions by these digits.
    assert BASE.id == "a2d59290bf8c3378"
    same = make_version(
        notes={"loss": 0.5, "seed": 0},
        adapters={"solo": "0" * 64},
        harness={"turns": 8, "prompt": "help"},
        base="smol@1",
    )
    assert same == BASE
    others = {version(number).id for number in range(50)} | {A.id, replace(A, id="").id}
    assert len(others) == 52


def test_a_version_comes_back_equal_with_its_standing(registry: Registry) -> None:
    assert registry.get(A.id) == A
    assert [(v, s) for v, s, _ in registry.versions()] == [
        (BASE, Standing.CHAMPION),
        (A, Standing.CANDIDATE),
        (B, Standing.CANDIDATE),
        (C, Standing.CANDIDATE),
    ]
    assert registry.champion() == BASE


def test_adding_again_keeps_the_standing(registry: Registry) -> None:
    registry.add(BASE)
    registry.add(A, Standing.CHAMPION)
    assert standings(registry)["base"] is Standing.CHAMPION
    assert standings(registry)["a"] is Standing.CANDIDATE


def test_what_may_not_be_added_is_refused(registry: Registry) -> None:
    with pytest.raises(RegistryError, match="does not match its manifest"):
        registry.add(replace(version(9), learner="dpo"))
    with pytest.raises(RegistryError, match="unknown parent"):
        registry.add(version(9, parent=version(8)))
    with pytest.raises(RegistryError, match=f"{BASE.id} is champion"):
        registry.add(version(9), Standing.CHAMPION)
    assert len(registry.versions()) == 4


def test_an_accepted_candidate_becomes_champion_and_the_old_one_retires(registry: Registry) -> None:
    assert registry.record(A.id, verdict(A, BASE)) is Standing.CHAMPION
    assert registry.champion() == A
    assert standings(registry)["base"] is Standing.RETIRED
    assert registry.verdicts(A.id) == [verdict(A, BASE)]


def test_a_rejected_candidate_retires_and_an_undecided_one_stays(registry: Registry) -> None:
    assert registry.record(A.id, verdict(A, BASE, Decision.REJECT)) is Standing.RETIRED
    assert registry.record(B.id, verdict(B, BASE, Decision.UNDECIDED)) is Standing.CANDIDATE
    assert registry.record(B.id, verdict(B, BASE, Decision.UNDECIDED, seed=1)) is Standing.CANDIDATE
    assert registry.champion() == BASE
    assert len(registry.verdicts(B.id)) == 2 and registry.verdicts(C.id) == []


def test_recording_the_same_verdict_again_changes_nothing(registry: Registry) -> None:
    for _ in range(2):
        assert registry.record(A.id, verdict(A, BASE)) is Standing.CHAMPION
    assert len(registry.verdicts(A.id)) == 1
    assert len(registry.history(A.id)) == 2


def test_a_verdict_against_a_former_champion_is_refused_and_not_kept(registry: Registry) -> None:
    registry.record(A.id, verdict(A, BASE))
    with pytest.raises(RegistryError, match=f"but {A.id} is champion now"):
        registry.record(B.id, verdict(B, BASE))
    assert registry.verdicts(B.id) == []
    assert registry.standing(B.id) is Standing.CANDIDATE
    with pytest.raises(RegistryError, match="the verdict is on"):
        registry.record(C.id, verdict(B, A))


def test_a_move_that_fails_after_the_verdict_was_written_keeps_neither(registry: Registry) -> None:
    registry.move(B.id, Standing.SHADOW)  # may not become champion: the last statement of the call fails
    with pytest.raises(RegistryError, match="cannot become champion"):
        registry.record(B.id, verdict(B, BASE))
    assert registry.verdicts(B.id) == []
    assert registry.champion() == BASE
    assert [row[2] for row in registry.history(BASE.id)] == [Standing.CHAMPION]


@pytest.mark.parametrize("before", list(Standing))
@pytest.mark.parametrize("after", list(Standing))
def test_exactly_the_moves_of_the_table_are_legal(
    registry: Registry, before: Standing, after: Standing
) -> None:
    subject = BASE if before is Standing.CHAMPION else A
    force(registry, subject, before)

    def go() -> None:
        if after is Standing.CHAMPION:
            registry.promote(subject.id)
        else:
            registry.move(subject.id, after)

    if after in ALLOWED[before]:
        go()
        assert registry.standing(subject.id) is after
    else:
        legal = ", ".join(sorted(ALLOWED[before]))
        with pytest.raises(
            RegistryError, match=f"cannot become {after}(.|\n)*legal moves from {before}: {legal}"
        ):
            go()
        assert registry.standing(subject.id) is before
        assert registry.champion() == BASE


def test_move_makes_no_champion(registry: Registry) -> None:
    with pytest.raises(RegistryError, match="use promote"):
        registry.move(A.id, Standing.CHAMPION)


def test_the_database_itself_refuses_a_second_champion(registry: Registry) -> None:
    with pytest.raises(StoreError, match="UNIQUE"):
        force(registry, A, Standing.CHAMPION)


def test_rollback_goes_back_champion_by_champion(registry: Registry) -> None:
    for each in (A, B):
        registry.promote(each.id)
    assert registry.rollback() == A
    assert standings(registry)["b"] is Standing.RETIRED
    registry.promote(C.id)
    assert [registry.rollback(), registry.rollback()] == [A, BASE]
    with pytest.raises(RegistryError, match="first champion"):
        registry.rollback()
    assert registry.champion() == BASE
    registry.promote(B.id)  # a retired one may return
    assert registry.rollback() == BASE


def test_rollback_of_a_champion_that_came_twice_follows_its_latest_rise(registry: Registry) -> None:
    for each in (A, B, A):
        registry.promote(each.id)
    assert [registry.rollback(), registry.rollback(), registry.rollback()] == [B, A, BASE]


def test_without_a_champion_there_is_nothing_to_roll_back_or_resolve(tmp_path: Path) -> None:
    registry = open_registry(f"sqlite:///{tmp_path}/x.db")
    assert registry.champion() is None and registry.versions() == []
    for call in (registry.rollback, lambda: registry.resolve("champion")):
        with pytest.raises(RegistryError, match="no champion"):
            call()
    registry.add(BASE)
    registry.promote(BASE.id)
    assert registry.champion() == BASE
    registry.close()


def test_of_threads_that_replace_the_same_champion_at_once_one_wins(
    registry: Registry, tmp_path: Path
) -> None:
    rivals = [A, B, C]
    registries = [open_registry(f"sqlite:///{tmp_path}/x.db") for _ in rivals]
    together = threading.Barrier(len(rivals))
    lost: list[str] = []

    def work(mine: Registry, rival: Version) -> None:
        together.wait()
        try:
            mine.promote(rival.id, expected=BASE.id)
        except RegistryError as error:
            lost.append(str(error))

    threads = [threading.Thread(target=work, args=pair) for pair in zip(registries, rivals, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in registries:
        each.close()
    champion = registry.champion()
    assert champion in rivals
    assert len(lost) == 2 and all(f"but {champion.id} is champion now" in text for text in lost)
    assert sorted(standings(registry).values()) == ["candidate", "candidate", "champion", "retired"]


PROMOTER = """
import sys
from coevolve.errors import RegistryError
from coevolve.registry import open_registry
url, mine, champion = sys.argv[1:]
registry = open_registry(url)
print("ready", flush=True)
sys.stdin.readline()
try:
    registry.promote(mine, expected=champion)
    print("won")
except RegistryError as error:
    print(error.what)
"""


def test_of_two_processes_that_promote_at_once_one_wins_and_the_other_hears_who(
    registry: Registry, tmp_path: Path
) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROMOTER, f"sqlite:///{tmp_path}/x.db", rival.id, BASE.id],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rival in (A, B)
    ]
    for process in running:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    told = [process.communicate()[0].strip() for process in running]
    champion = registry.champion()
    assert champion is not None
    assert sorted(text == "won" for text in told) == [False, True]
    assert told[[A, B].index(champion)] == "won"
    assert f"but {champion.id} is champion now" in told[1 - [A, B].index(champion)]


def test_lineage_runs_to_the_base(registry: Registry) -> None:
    child = version(7, parent=A)
    registry.add(child)
    assert registry.lineage(child.id) == [child, A, BASE]


def test_resolve_takes_champion_or_a_unique_beginning(registry: Registry) -> None:
    assert registry.resolve("champion") == BASE.id
    assert [registry.resolve(each.id[:12]) for each in (A, B, C)] == [A.id, B.id, C.id]
    with pytest.raises(RegistryError, match="give more characters"):
        registry.resolve("")
    for bad in ("zzz", "%"):
        with pytest.raises(RegistryError, match="no version begins with"):
            registry.resolve(bad)


def test_unknown_versions_are_named(registry: Registry) -> None:
    for call in (registry.get, registry.standing, registry.lineage, registry.verdicts, registry.promote):
        with pytest.raises(RegistryError, match="unknown version nope"):
            call("nope")


def test_a_manifest_changed_by_hand_is_refused(registry: Registry) -> None:
    with registry.database.write() as connection:
        connection.execute(
            sa.text("UPDATE versions SET manifest = replace(manifest, 'smol@1', 'evil@1') WHERE id = :i"),
            {"i": A.id},
        )
    with pytest.raises(RegistryError, match=f"the manifest of {A.id} was changed"):
        registry.get(A.id)
