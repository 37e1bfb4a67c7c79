"""All commands, options, imports and paths that pages mention exist."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from lab.__main__ import lab
from walproof.cli import walproof

ROOT = Path(__file__).parents[1]
ROOMS = ("conformance", "docs", "ksy", "lab", "pyspark_journal", "reference_impl", "spec", "tests")
PAGES = sorted(
    [*ROOT.glob("*.md")]
    + [page for room in (*ROOMS, "vectors", "walproof") for page in (ROOT / room).rglob("*.md")]
)
#: Names that pages make up for their examples.
EXAMPLES = re.compile(r"my[-_]log|my_reader|chromium-reader")

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`([^`\n]+)`")
COMMAND = re.compile(r"(?<![\w./-])(walproof|python -m lab) ([a-z][a-z-]+)\b(.*)")
GROUPS = {"walproof": walproof, "python -m lab": lab}
OPTION = re.compile(r"(?<!\S)--[a-z][a-z-]*")
PLACE = re.compile(rf"(?:{'|'.join(ROOMS)}|walproof)/[\w./-]+")

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def code(page: Path) -> Iterator[str]:
    """Yield the code in a page: spans, and lines of code blocks with continuations joined."""
    text = page.read_text(encoding="utf-8")
    for kind, block in FENCE.findall(text):
        if kind != "diff":
            yield from block.replace("\\\n", "").splitlines()
    yield from SPAN.findall(FENCE.sub("", text))


@cache
def options(program: str, name: str) -> frozenset[str]:
    """Return the options of a command and of its subcommands."""
    group = GROUPS[program]
    command = group.get_command(click.Context(group), name)
    assert command is not None
    commands = [command]
    if isinstance(command, click.Group):
        commands += command.commands.values()
    options = {
        option
        for each in commands
        for parameter in each.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    return frozenset(options | {"--help"})


def assert_options_are_there(lines: Iterable[str]) -> None:
    for line in (part for each in lines for part in each.split(" | ")):
        for program, name, rest in COMMAND.findall(line):
            group = GROUPS[program]
            assert name in group.list_commands(click.Context(group)), line
            unknown = set(OPTION.findall(rest)) - options(program, name)
            assert not unknown, line


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.name != "CHANGELOG.md"],  # a changelog mentions former commands
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_subcommands_and_their_options_exist(page: Path) -> None:
    assert_options_are_there(code(page))


def commands(program: str, group: click.Group) -> Iterator[tuple[str, click.Command]]:
    """Yield the name and object of each command in a group and its subgroups."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        yield f"{program} {name}", command
        if isinstance(command, click.Group):
            yield from commands(f"{program} {name}", command)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, id=name)
        for program, group in GROUPS.items()
        for name, command in commands(program, group)
    ],
)
def test_the_options_in_a_help_text_exist(command: click.Command) -> None:
    assert_options_are_there((command.help or "").splitlines())


@pages
def test_imports_work(page: Path) -> None:
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.M):
        for node in ast.walk(ast.parse(block)):
            if (
                isinstance(node, ast.ImportFrom)
                and node.module
                and not EXAMPLES.search(node.module)
            ):
                module = pytest.importorskip(node.module.partition(".")[0])
                module = importlib.import_module(node.module)
                assert [each.name for each in node.names if not hasattr(module, each.name)] == []


@pages
def test_paths_exist(page: Path) -> None:
    named = {span for span in SPAN.findall(page.read_text("utf-8")) if PLACE.fullmatch(span)}
    gone = [name for name in sorted(named) if not (ROOT / name).exists()]
    theirs = {"docs/JOURNAL_FILE_FORMAT.md"}  # a page from systemd
    assert [name for name in gone if name not in theirs and not EXAMPLES.search(name)] == []
