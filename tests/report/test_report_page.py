"""The report: whole, self-contained, escaped, and valid whatever is missing."""

from __future__ import annotations

import itertools
import re
from dataclasses import fields, replace
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from coevolve.errors import ReportError
from coevolve.report import (
    Example,
    ExampleTurn,
    GateRow,
    PoolRow,
    Rate,
    ReportData,
    RoundPoint,
    TypeRow,
    example,
    page,
    render,
)
from coevolve.report.geometry import Frame, curve
from coevolve.report.page import conversation, duration, flatten, percent, stacks
from coevolve.report.picture import curve_png
from coevolve.types import Action, Failure, Outcome, Party, Reward, Split, StopReason, Task, Trajectory, Turn

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>"
VOID = {"meta", "br", "img", "link", "hr", "input"}


def full() -> ReportData:
    rate = Rate(0.76, 0.68, 0.83, 120)
    return ReportData(
        title="Shop customer service",
        run_id="run-7",
        date="2026-11-29",
        base=Rate(0.0, 0.0, 0.03, 120),
        opening=rate,
        final=Rate(0.93, 0.87, 0.97, 120),
        measured_on="test",
        rounds=(
            RoundPoint(label="base", wall_s=0, success=Rate(0.0, 0.0, 0.03, 120)),
            RoundPoint(label="opening", wall_s=181, success=rate, tokens=52_311, stage_s={"learn": 140.0}),
            RoundPoint(label="round 1", wall_s=401, success=Rate(0.93, 0.87, 0.97, 120)),
        ),
        types=(
            TypeRow(type="find_product", base=rate, opening=rate, final=rate),
            TypeRow(type="stranger_order", refusal=True, final=rate),
        ),
        verdicts=(
            GateRow(
                label="round 1",
                decision="accept",
                why="Better overall: won 25, lost 1 of 120.",
                difference=0.2,
                low=0.11,
                high=0.29,
                n=120,
            ),
        ),
        pools=(PoolRow(label="round 1", operations={"own_success": 90, "demonstration": 48}),),
        examples=(
            Example(
                task_id="t-1",
                task_type="find_product",
                before=(ExampleTurn(observation="A lamp?", action="nonsense", error="no JSON"),),
                after=(
                    ExampleTurn(observation="A lamp?", thought="Search.", action="search()", result="[lamp]"),
                    ExampleTurn(observation="[lamp]", action='reply(text="Here.")', result="Thanks!"),
                ),
                before_outcome="failure",
                after_outcome="success",
            ),
        ),
        stage_s={"collect": 100.0, "learn": 140.0},
        wall_s=401,
        peak_memory_gib=4.2,
        config={"gate": {"alpha": 0.05}, "name": "shop"},
        machine={"cores": 2},
        notes=("The held-out set is small.",),
    )


class Checker(HTMLParser):
    """Collects tags, and complains about an element that is closed out of order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()


def checked(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    return checker


def test_report_is_one_page_that_loads_nothing_and_runs_nothing(tmp_path: Path) -> None:
    path = render(full(), tmp_path / "deep" / "report")
    html = path.read_text(encoding="utf-8")
    tags = checked(html).tags
    assert not {"script", "link", "iframe", "img", "object"} & {name for name, _ in tags}
    assert not any({"src", "href", "onclick", "onerror"} & set(attributes) for _, attributes in tags)
    assert "http://" not in html and "https://" not in html and "url(" not in html
    assert sorted(one.name for one in path.parent.iterdir()) == ["curve.png", "report.html"]


def test_every_figure_carries_its_interval_and_count() -> None:
    html = page(full())
    assert "93.0%" in html and "87\N{EN DASH}97" in html and "n = 120" in html
    assert "+20.0 points, 95% interval +11.0 to +29.0, n = 120" in html
    assert "48" in html and "own success" in html and "gate.alpha" in html
    assert "tokens" in html.casefold() and "52,311" in html


def test_charts_and_tables_say_what_they_are() -> None:
    html = page(full())
    checked(html)
    for svg in re.findall(r"<svg[^>]*>", html):
        assert 'role="img"' in svg and ("aria-label=" in svg or "aria-labelledby=" in svg)
    assert html.count("<table") == html.count("<caption>") >= 4
    assert '<title id="c-title">' in html and '<desc id="c-desc">' in html
    assert "prefers-color-scheme:dark" in html


def test_hostile_text_is_shown_and_never_becomes_markup() -> None:
    rate = Rate(0.5, 0.4, 0.6, 10)
    data = ReportData(
        title=HOSTILE,
        run_id=HOSTILE,
        date=HOSTILE,
        base=rate,
        measured_on=HOSTILE,
        curve_on=HOSTILE,
        rounds=(RoundPoint(label=HOSTILE, wall_s=1, success=rate, stage_s={HOSTILE: 1.0}),),
        types=(TypeRow(type=HOSTILE, final=rate),),
        verdicts=(GateRow(label=HOSTILE, decision=HOSTILE, why=HOSTILE),),
        pools=(PoolRow(label=HOSTILE, operations={HOSTILE: 1}, types={HOSTILE: 1}, rejected={HOSTILE: 1}),),
        examples=(
            Example(
                task_id=HOSTILE,
                task_type=HOSTILE,
                before=(ExampleTurn(observation=HOSTILE, thought=HOSTILE, action=HOSTILE, result=HOSTILE),),
                after=(ExampleTurn(error=HOSTILE),),
                before_outcome=HOSTILE,
                before_label=HOSTILE,
            ),
        ),
        stage_s={HOSTILE: 2.0},
        config={HOSTILE: {HOSTILE: HOSTILE}},
        machine={HOSTILE: HOSTILE},
        notes=(HOSTILE,),
    )
    html = page(data)
    tags = checked(html).tags
    assert not {"script", "img"} & {name for name, _ in tags}
    assert not any("onerror" in attributes for _, attributes in tags)
    assert html.count("&lt;script&gt;") >= 15
    curve_png(data)


def test_empty_run_still_gets_a_valid_report(tmp_path: Path) -> None:
    path = render(ReportData(title="Nothing yet", run_id="r", finished=False), tmp_path)
    html = path.read_text(encoding="utf-8")
    checked(html)
    assert "No round has finished yet" in html
    assert "coevolve run --resume" in html
    assert "By task type" not in html
    with Image.open(tmp_path / "curve.png") as picture:
        assert picture.size == (1600, 900)


_DEFAULTS = ReportData(title="t", run_id="r")
_PARTS = [field.name for field in fields(ReportData) if field.name not in {"title", "run_id"}]


@pytest.mark.parametrize("part", _PARTS)
def test_any_part_may_be_missing(part: str) -> None:
    checked(page(replace(full(), **{part: getattr(_DEFAULTS, part)})))


@pytest.mark.parametrize("part", _PARTS)
def test_any_part_may_be_the_only_one(part: str) -> None:
    checked(page(replace(_DEFAULTS, **{part: getattr(full(), part)})))


def test_same_data_gives_the_same_files(tmp_path: Path) -> None:
    first, second = render(full(), tmp_path / "a"), render(full(), tmp_path / "b")
    assert first.read_bytes() == second.read_bytes()
    assert (tmp_path / "a/curve.png").read_bytes() == (tmp_path / "b/curve.png").read_bytes()


def test_folder_that_cannot_be_made_is_an_error_with_its_fix(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("in the way")
    with pytest.raises(ReportError, match=r"cannot be written[\s\S]*fix:"):
        render(full(), blocker)


def test_failed_write_keeps_the_former_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = render(full(), tmp_path)
    before = path.read_bytes()

    def full_disk(self: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(ReportError, match="No space left"):
        render(replace(full(), title="Newer"), tmp_path)
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["curve.png", "report.html"]


def test_picture_draws_the_curve_where_the_rates_are() -> None:
    with Image.open(BytesIO(curve_png(full()))) as picture:
        pixels = picture.convert("RGB")
        assert pixels.size == (1600, 900)
        plot = curve(full().rounds, Frame(width=1600, height=900, left=130, right=90, top=190, bottom=120))
        for mark in plot.marks:
            red, green, blue = pixels.getpixel((int(mark.x), int(mark.y)))  # type: ignore[misc]
            assert abs(red - 11) < 30 and abs(green - 110) < 30 and abs(blue - 100) < 30


@given(
    points=st.lists(
        st.tuples(
            st.floats(0, 1e6, allow_nan=False),
            st.floats(0, 1, allow_nan=False),
            st.text(max_size=12),
        ),
        max_size=12,
    )
)
@settings(max_examples=60, deadline=None)
def test_every_mark_lies_inside_the_frame(points: list[tuple[float, float, str]]) -> None:
    frame = Frame()
    plot = curve(
        [RoundPoint(label=name, wall_s=wall, success=Rate(rate, 0.0, 1.0, 5)) for wall, rate, name in points],
        frame,
    )
    assert len(plot.marks) == len(points)
    for mark in plot.marks:
        assert frame.left - 1e-6 <= mark.x <= frame.width - frame.right + 1e-6
        assert frame.top - 1e-6 <= mark.y_high <= mark.y <= mark.y_low <= frame.height - frame.bottom + 1e-6
    labels = [mark.x for mark in plot.marks if mark.labelled]
    assert all(later - earlier >= 66 for earlier, later in itertools.pairwise(labels))
    if points:
        assert plot.marks[-1].labelled


def test_point_without_a_number_is_left_out_of_the_curve() -> None:
    nan = float("nan")
    plot = curve([RoundPoint(label="x", wall_s=1, success=Rate(nan, nan, nan, 0))], Frame())
    assert plot.marks == ()


def test_stacks_keep_one_colour_a_part_and_one_scale() -> None:
    laid = stacks([("one", {"a": 10.0}), ("two", {"b": 10.0, "a": 10.0})])
    assert laid.names == ("a", "b")
    (only,), two = laid.bars[0].parts, laid.bars[1].parts
    assert only[3] == pytest.approx(50)
    assert [(part[0], part[4]) for part in two] == [("a", 0), ("b", 1)]
    assert two[1][2] + two[1][3] == pytest.approx(100)


def test_result_is_not_shown_again_as_the_next_observation() -> None:
    parts = conversation(full().examples[0].after)
    assert [text for _, text in parts].count("[lamp]") == 1
    assert [kind for kind, _ in parts] == ["observation", "thought", "action", "result", "action", "result"]


def test_figures_are_written_for_a_reader() -> None:
    assert percent(0.763) == "76%" and percent(0.763, 1) == "76.3%"
    assert [duration(seconds) for seconds in (4.25, 48, 200, 3900)] == [
        "4.2 s",
        "48 s",
        "3 min 20 s",
        "1 h 05 min",
    ]
    assert list(flatten({"a": {"b": [1, 2]}, "c": None, "d": "x"})) == [
        ("a.b", "[1, 2]"),
        ("c", "null"),
        ("d", "x"),
    ]


def test_example_is_made_from_two_trajectories() -> None:
    task = Task(id="t", type="buy", split=Split.TEST, seed=0, difficulty=1, opening="Hi")

    def run(turn: Turn, **more: object) -> Trajectory:
        return Trajectory(
            id="x",
            session_id="s",
            task=task,
            version="v",
            seed=0,
            turns=(turn,),
            stop=StopReason.DONE,
            **more,  # type: ignore[arg-type]
        )

    before = run(
        Turn(index=0, observation="Hi", raw="blah", error="no action"),
        failure=Failure(Party.ENVIRONMENT, "crash"),
    )
    reward = Reward(total=1, outcome=Outcome.SUCCESS, turns=(1.0,), first_wrong=None, why="")
    after = run(
        Turn(index=0, observation="Hi", raw="{}", action=Action("reply", {"text": "Hé", "n": 1})),
        reward=reward,
    )
    made = example(before, after)
    assert made.before[0].action == "blah" and made.before[0].error == "no action"
    assert made.after[0].action == 'reply(text="Hé", n=1)'
    assert (made.before_outcome, made.after_outcome) == ("broken by the environment", "success")
    assert example(run(before.turns[0]), after).before_outcome == "not judged"
