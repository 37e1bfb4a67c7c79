"""A format is named only in its own files, so that a new format needs no changes to other code.

A file belongs to a format if its path contains the format's name. Files in ``spec/``, ``ksy/`` and
``vectors/``, prose and tests may name any format, and implementations under test have their own
names. A format's files may name the system of another format, such as a database that writes both
formats, but not the other format itself.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from conformance import ROOT
from reference_impl.register import registers

WORDS = {format: re.split("[-_]", format)[0] for format in registers()}
ANY_FORMAT = re.compile(r"\.md$|^(spec|ksy|vectors|tests|docs)/|/implementations/|^LICENSE$")

#: These files may name any format, because they are for contributors and the code host.
ABOUT_THE_REPOSITORY = {
    ".github/CODEOWNERS",
    ".github/ISSUE_TEMPLATE/finding.yml",
    ".github/ISSUE_TEMPLATE/implementation.yml",
    ".github/workflows/ci.yml",
    "Makefile",
}

#: This code may name a format, because it is meant for one system: parts of adapter kits, or the
#: path of a daemon.
OF_ONE_SYSTEM = {
    "conformance/adapterkit/go/records.go",
    "conformance/adapterkit/rust/src/export_format.rs",
    "lab/findings/releases.py",
}

#: These files may name a format, because they contain an option name that Spark users know, or the
#: text of `--help`.
WORDS_FOR_PEOPLE = {
    "pyspark_journal/options.py",
    "walproof/cli/__init__.py",
}

#: Help texts, schemas, docstrings and skeletons may use this format or its vectors as an example.
EXAMPLE = re.compile(r"leveldb[-_ ]?logs?(/[a-z0-9-]+)?", re.I)


@pytest.mark.parametrize("format", list(WORDS))
def test_a_format_is_named_in_its_own_files_only(format: str) -> None:
    allowed = ABOUT_THE_REPOSITORY | OF_ONE_SYSTEM | WORDS_FOR_PEOPLE
    assert [place for place in named_in(format) if place.split(":")[0] not in allowed] == []


def named_in(format: str) -> Iterator[str]:
    """Yield the ``FILE:LINE`` of lines that name a format outside the format's own files."""
    for path in tracked():
        if ANY_FORMAT.search(path) or WORDS[format] in path.lower():
            continue
        is_of_another = any(word in path.lower() for word in WORDS.values())
        names = (format, registers()[format].module) if is_of_another else (WORDS[format],)
        try:
            lines = (ROOT / path).read_text("utf-8").splitlines()
        except (UnicodeDecodeError, OSError):
            continue
        for number, line in enumerate(lines, 1):
            text = without_library(EXAMPLE.sub("", line)).lower()
            if any(name in text for name in names) and not is_help(line):
                yield f"{path}:{number}"


def without_library(line: str) -> str:
    """Remove the names of Python modules from a line, because one of them begins like a format."""
    modules = sys.stdlib_module_names
    return re.sub(r"\w+", lambda name: "" if name[0] in modules else name[0], line)


def is_help(line: str) -> bool:
    """Return whether a line of a help text shows how to call a command."""
    return bool(re.match(r"\s+((walproof|python -m lab) [a-z]|help=)", line))


def tracked() -> list[str]:
    """Return the paths of the files under version control."""
    done = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip("not a repository")
    return done.stdout.splitlines()
