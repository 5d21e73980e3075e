"""The rules of the house that a machine can check, each as a function from a tree of files to its faults.

``python -m tests.house_rules [FOLDER ...]`` prints them for some folders; ``tests/unit/test_house.py`` holds the whole
program to them.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = (ROOT / "app", ROOT / "hardware")
LONG = 12
"""Lines of a private function from which on it says in one line what it is for."""
PARTICIPLES = frozenset(
    {
        "begun",
        "bought",
        "bound",
        "broken",
        "brought",
        "built",
        "caught",
        "chosen",
        "done",
        "drawn",
        "driven",
        "fallen",
        "fed",
        "felt",
        "forgotten",
        "found",
        "given",
        "gone",
        "grown",
        "heard",
        "held",
        "hidden",
        "hung",
        "kept",
        "known",
        "laid",
        "led",
        "left",
        "lent",
        "lit",
        "lost",
        "made",
        "meant",
        "met",
        "overdue",
        "paid",
        "proved",
        "proven",
        "risen",
        "rung",
        "said",
        "seen",
        "sent",
        "shown",
        "sold",
        "spent",
        "spoken",
        "stolen",
        "struck",
        "sung",
        "swept",
        "sworn",
        "swung",
        "taken",
        "thought",
        "told",
        "torn",
        "undone",
        "unheard",
        "unseen",
        "unsent",
        "untold",
        "won",
        "worn",
        "written",
    }
)
NO_PARTICIPLE = frozenset(
    {
        "bleed",
        "breed",
        "embed",
        "embedded",
        "exceed",
        "feed",
        "heed",
        "need",
        "proceed",
        "seed",
        "shed",
        "speed",
        "succeed",
        "weed",
    }
)
ARCHAIC = re.compile(r"\b(whoever|whatever|whomever|whichever|whosoever|thereof|whereby|hereby)\b", re.IGNORECASE)

CONSOLE = (ROOT / "app" / "console",)
SHOWS = frozenset(
    {
        *("setText", "setToolTip", "setAccessibleName", "setAccessibleDescription", "setPlaceholderText", "setSuffix"),
        *("setWindowTitle", "setTitle", "setSpecialValueText", "addTab", "addMenu", "addAction", "drawText", "notify"),
        *("label", "plain_button", "ActionButton", "QLabel", "QPushButton", "QCheckBox", "QRadioButton", "StateMark"),
        *("EmptyState", "TitledPanel", "KpiTile", "DataTable", "Column", "BulkBar", "Action", "Entry", "ToolButton"),
        *("ElidedLabel", "StateHero", "Operation", "ask_confirmation"),
    }
)
"""Functions of the console, and of Qt, whose texts a person reads."""
_WORDS = re.compile(r"[A-Za-z]{2,},? [A-Za-z]{2}|^[A-Z][a-z]{2,}|^[A-Z]{3,}$")
_NO_WORDS = re.compile(r"^(ARC Console|(Ctrl|Alt|Shift|Meta)\+.*|Esc|Space|Enter|Return|Del|Backspace|Home|End)$")


@functools.cache
def _parsed(text: str) -> ast.Module:
    """Each rule looks at the same modules."""
    return ast.parse(text)


def modules(folders: tuple[Path, ...] = PROGRAM) -> Iterator[tuple[Path, ast.Module]]:
    """Every module of the folders, parsed."""
    for folder in folders:
        for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]:
            yield path, _parsed(path.read_text(encoding="utf-8"))


def repeated_class_names(folders: tuple[Path, ...] = PROGRAM) -> list[str]:
    """Classes of one name in more than one place."""
    places = defaultdict(list)
    for path, tree in modules(folders):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return [f"{name}: {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1]


def _is_participle(name: str) -> bool:
    word = name.strip("_")
    if "_" in word or word in NO_PARTICIPLE:
        return False
    return word in PARTICIPLES or (word.endswith("ed") and len(word) > 3)


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("property" in ast.unparse(mark) for mark in node.decorator_list)


def bare_participles(folders: tuple[Path, ...] = PROGRAM) -> list[str]:
    """Functions that are named by a participle alone. A property may be: it is read as an adjective. A Qt signal's
    or a protocol's name is none of ours."""
    return [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}"
        for path, tree in modules(folders)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and _is_participle(node.name)
        and not _is_property(node)
    ]


def silent_functions(folders: tuple[Path, ...] = PROGRAM) -> list[str]:
    """Private functions of more than ``LONG`` lines without a docstring."""
    return [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.name} ({(node.end_lineno or 0) - node.lineno + 1} lines)"
        for path, tree in modules(folders)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("_")
        and not node.name.startswith("__")
        and (node.end_lineno or 0) - node.lineno + 1 > LONG
        and ast.get_docstring(node) is None
    ]


def archaic_words(folders: tuple[Path, ...] = PROGRAM) -> list[str]:
    """Docstrings and comments with a word that leaves the actor unnamed."""
    faults = []
    for folder in folders:
        for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]:
            text = path.read_text(encoding="utf-8")
            for line, words in _prose(text):
                if found := ARCHAIC.search(words):
                    faults.append(f"{path.relative_to(ROOT)}:{line}: {found.group(0)}")
    return faults


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """Comments, and strings that stand as statements, with their first line."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(_parsed(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def words_without_tr(folders: tuple[Path, ...] = CONSOLE) -> list[str]:
    """Words that are shown to people and were not given to ``tr``, so that no translation has them; and words that
    ``lupdate`` cannot find, since ``tr`` gets no literal or stands inside an f-string. The tour is the makers' own and
    speaks English."""
    faults = []
    for path, tree in modules(folders):
        if "tour" in path.parts:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                faults += [
                    f"{path.relative_to(ROOT)}:{part.lineno}: tr inside an f-string"
                    for part in ast.walk(node)
                    if isinstance(part, ast.Call) and _called(part) == "tr"
                ]
            if not isinstance(node, ast.Call):
                continue
            name = _called(node)
            place = f"{path.relative_to(ROOT)}:{node.lineno}"
            if name == "tr":
                first = node.args[0] if node.args else None
                if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
                    faults.append(f"{place}: tr of no literal")
            elif name in SHOWS:
                told = [
                    *node.args,
                    *(one.value for one in node.keywords if one.arg in ("hint", "name", "text", "title")),
                ]
                faults += [f"{place}: {words!r}" for part in told for words in _bare_words(part)]
    return faults


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _bare_words(node: ast.AST) -> Iterator[str]:
    """Literals in an expression that read as words; what another call makes of its own is not looked into."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and _WORDS.search(node.value) and not _NO_WORDS.match(node.value):
            yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*_bare_words(node.body), *_bare_words(node.orelse))
    elif isinstance(node, ast.JoinedStr | ast.BinOp | ast.BoolOp):
        for child in ast.iter_child_nodes(node):
            yield from _bare_words(child)


def held_layout_items(folders: tuple[Path, ...] = CONSOLE) -> list[str]:
    """Items asked of a layout: PySide keeps a wrapper of each by its address, after Qt has deleted the item, and what
    comes to stand there ends with foreign memory (``app.console.widgets.taking_away``)."""
    return [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.attr}"
        for path, tree in modules(folders)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("itemAt", "itemAtPosition", "takeAt")
    ]


def circles(folders: tuple[Path, ...] = PROGRAM) -> list[str]:
    """Circles of imports between rooms (packages), at each depth: ``app.ledger.tree`` is a room beside
    ``app.ledger.c2sp``, and ``app.ledger`` one beside ``app.store``. A room and what lies in it are one."""
    names = {_module_name(path) for path, _ in modules(folders)}
    imports = [(_module_name(path), target) for path, tree in modules(folders) for target in _imported(tree, names)]
    found = []
    for depth in range(2, 6):
        edges = defaultdict(set)
        for source, target in imports:
            one, other = _room(source, depth), _room(target, depth)
            # Siblings alone: what imports its own parent or child is one room.
            if one != other and one.rpartition(".")[0] == other.rpartition(".")[0]:
                edges[one].add(other)
        found += [f"{' -> '.join(circle)}" for circle in _cycles(edges)]
    return found


def _module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _room(module: str, depth: int) -> str:
    return ".".join(module.split(".")[:depth])


def _imported(tree: ast.Module, names: set[str]) -> Iterator[str]:
    """Modules of the program that a module imports, but for those that only the types need."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                target = full if full in names else node.module
                if target in names:
                    yield target
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)


def _cycles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components of more than one room."""
    reach: dict[str, set[str]] = {}
    for start in edges:
        seen: set[str] = set()
        stack = list(edges[start])
        while stack:
            here = stack.pop()
            if here not in seen:
                seen.add(here)
                stack.extend(edges.get(here, ()))
        reach[start] = seen
    circles = {
        tuple(sorted({start, *(other for other in reach[start] if start in reach.get(other, ()))}))
        for start in edges
        if start in reach[start]
    }
    return [list(circle) for circle in sorted(circles)]


RULES = (repeated_class_names, bare_participles, silent_functions, archaic_words, words_without_tr, held_layout_items)


def main() -> None:
    """Prints the faults of the folders that are named."""
    folders = tuple(Path(name).resolve() for name in sys.argv[1:]) or PROGRAM
    for rule in RULES:
        faults = rule(folders)
        print(f"{rule.__name__}: {len(faults)}", *faults, sep="\n  ")


if __name__ == "__main__":
    main()
