"""The rules of the house that can be read off the source."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "coevolve"

# Imports go from a higher number to a lower one; STAGES never import each other.
CONTRACTS, CONFIG, GROUND, STAGES, LOOP, ABOVE, CLI = range(7)
LAYERS = {
    **dict.fromkeys(("__init__", "types", "errors"), CONTRACTS),
    **dict.fromkeys(("sections", "conflicts", "config", "toml_text"), CONFIG),
    **dict.fromkeys(("need", "progress", "codec", "examples", "machine"), CONFIG),
    **dict.fromkeys(("database", "migrations"), CONFIG),  # one database for store and registry
    **dict.fromkeys(("environments", "models", "agents", "policy", "sandbox"), GROUND),
    **dict.fromkeys(("rollout", "feedback", "store", "pool", "learn", "gate", "registry", "report"), STAGES),
    **dict.fromkeys(("engines", "workspace", "playing", "teaching", "timekeeping", "contenders"), LOOP),
    **dict.fromkeys(("tracing", "live", "similar", "judging"), LOOP),
    **dict.fromkeys(("rounds", "loop", "summary"), LOOP),
    **dict.fromkeys(("serve", "web", "doctor", "scaffold"), ABOVE),
    **dict.fromkeys(("cli", "__main__"), CLI),
}
HEAVY = frozenset({"torch", "transformers", "peft", "safetensors", "openvino", "openvino_genai", "gguf"})
MAY_LOAD_HEAVY = frozenset({"models", "learn"})
UNSAFE_MODULES = frozenset({"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"})
MAX_LINES = 350
TEXT_FOLDERS = ("src", "tests", "docs", "examples", "benchmarks", "scripts", ".ci")
TEXT_SUFFIXES = frozenset(
    {"", ".py", ".md", ".toml", ".txt", ".json", ".lock", ".html", ".sql", ".jinja", ".j2"}
)


@dataclass(frozen=True, slots=True)
class Import:
    module: str
    line: int
    deferred: bool  # inside a function, or for the type checker alone


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def part(file: Path) -> str:
    """The stage or module directly under the package that a file belongs to."""
    return file.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(file: Path) -> Iterator[Import]:
    yield from _imports(tree(file), file, deferred=False)


def _imports(node: ast.AST, file: Path, *, deferred: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, child.lineno, deferred) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            module = child.module or ""
            if child.level:
                package = ("coevolve", *file.relative_to(PACKAGE).parts[:-1])
                module = ".".join((*package[: len(package) - child.level + 1], *filter(None, [module])))
            if module == "coevolve":
                yield from (Import(f"coevolve.{alias.name}", child.lineno, deferred) for alias in child.names)
            else:
                yield Import(module, child.lineno, deferred)
        else:
            later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            later = later or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test))
            yield from _imports(child, file, deferred=deferred or later)


def imported_parts(file: Path) -> Iterator[tuple[str, int]]:
    for found in imports(file):
        names = found.module.split(".")
        if names[0] == "coevolve":
            name = names[1] if len(names) > 1 else "__init__"
            yield ("__init__" if name.startswith("__version") else name), found.line


def place(file: Path, line: int) -> str:
    return f"{file.relative_to(ROOT)}:{line}"


def test_every_part_of_the_package_has_a_layer() -> None:
    assert {part(file) for file in sources()} - set(LAYERS) == set()


def test_imports_run_one_way() -> None:
    wrong = [
        f"{place(file, line)}: {part(file)} imports {other}"
        for file in sources()
        for other, line in imported_parts(file)
        if LAYERS[other] > LAYERS[part(file)]
    ]
    assert wrong == []


def test_stages_do_not_import_each_other() -> None:
    wrong = [
        f"{place(file, line)}: {part(file)} imports {other}"
        for file in sources()
        for other, line in imported_parts(file)
        if LAYERS[part(file)] == LAYERS[other] == STAGES and part(file) != other
    ]
    assert wrong == []


def test_parts_do_not_import_in_circles() -> None:
    needs = {name: set[str]() for name in LAYERS}
    for file in sources():
        needs[part(file)] |= {other for other, _ in imported_parts(file)} - {part(file)}
    while ready := {name for name, others in needs.items() if not others}:
        needs = {name: others - ready for name, others in needs.items() if name not in ready}
    assert needs == {}


def test_only_models_and_learners_load_heavy_packages() -> None:
    wrong = [
        f"{place(file, found.line)}: {found.module}"
        for file in sources()
        for found in imports(file)
        if found.module.split(".")[0] in HEAVY and part(file) not in MAY_LOAD_HEAVY and not found.deferred
    ]
    assert wrong == []


def test_files_stay_readable() -> None:
    lengths = {str(file.relative_to(ROOT)): len(file.read_text().splitlines()) for file in sources()}
    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}


def test_no_file_is_a_bag_of_leftovers() -> None:
    bags = {"utils", "util", "common", "helpers", "helper", "manager", "misc"}
    assert [file for file in sources() if bags & set(file.relative_to(PACKAGE).with_suffix("").parts)] == []


def test_nothing_unpickles_or_runs_text() -> None:
    wrong = [
        place(file, found.line)
        for file in sources()
        for found in imports(file)
        if found.module.split(".")[0] in UNSAFE_MODULES
    ]
    for file in sources():
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "eval",
                "exec",
                "compile",
                "os.system",
            ):
                wrong.append(place(file, node.lineno))
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.load":
                safe = any(k.arg == "weights_only" and ast.unparse(k.value) == "True" for k in node.keywords)
                wrong += [] if safe else [place(file, node.lineno)]
    assert wrong == []


def test_catching_everything_says_why_or_raises_again() -> None:
    wrong = []
    for file in sources():
        lines = file.read_text().splitlines()
        for node in ast.walk(tree(file)):
            if not isinstance(node, ast.ExceptHandler):
                continue
            caught = ast.unparse(node.type) if node.type else "BaseException"
            if not re.search(r"\b(Base)?Exception\b", caught):
                continue
            reason = "# " in lines[node.lineno - 1] or lines[node.lineno].lstrip().startswith("# ")
            if not reason and not isinstance(node.body[-1], ast.Raise):
                wrong.append(place(file, node.lineno))
    assert wrong == []


def texts() -> list[Path]:
    found = [file for file in ROOT.iterdir() if file.is_file()]
    for folder in TEXT_FOLDERS:
        found += [file for file in (ROOT / folder).rglob("*") if file.is_file()]
    return sorted(
        f for f in found if f.suffix in TEXT_SUFFIXES and "__pycache__" not in f.parts and f.name != ".git"
    )


def test_no_text_names_a_machines_folders_or_a_registrys_host() -> None:
    folders = "|".join(("root", "work", "opt", "home"))
    hosts = "|".join(re.escape(".".join(host)) for host in (("pypi", "org"), ("pythonhosted", "org")))
    pattern = re.compile(rf"(?<![\w.}}\])*])/(?:{folders})/\w|{hosts}")
    wrong = [
        f"{place(file, number)}: {line.strip()[:80]}"
        for file in texts()
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert wrong == []


def test_test_files_have_names_of_their_own() -> None:
    counts = Counter(file.name for file in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import coevolve.pool.admit", [("coevolve.pool.admit", False)]),
        ("from coevolve import pool", [("coevolve.pool", False)]),
        ("from . import rules\nfrom .. import pool", [("coevolve.gate", False), ("coevolve.pool", False)]),
        ("from ..pool import x", [("coevolve.pool", False)]),
        ("def f():\n  import torch", [("torch", True)]),
        ("if TYPE_CHECKING:\n  import torch", [("torch", True)]),
        ("try:\n  import torch\nexcept ImportError: pass", [("torch", False)]),
    ],
)
def test_walker_sees_every_form_of_import(text: str, expected: list[tuple[str, bool]]) -> None:
    found = _imports(ast.parse(text), PACKAGE / "gate" / "x.py", deferred=False)
    assert [(each.module, each.deferred) for each in found] == expected
