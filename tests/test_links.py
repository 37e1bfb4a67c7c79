"""Links and paths in committed files lead to existing files, and never to a local folder."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
DEFINITION = re.compile(r"^\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")

#: Developers' home directories. A plain ``/home`` is allowed, because examples use it.
MACHINE = re.compile(r"(?<![\w.])/(?:root|work|Users)/\w|(?<![\w.])/home/\w+/")


#: Package registries. Files may not name any, because the environment configures them.
REGISTRY = re.compile(
    r"https?://[\w.-]*(?:registry|mirror|proxy|artifactory|nexus|pypi|pythonhosted|repo1?\.maven|crates)"
)


def committed(*patterns: str) -> list[Path]:
    """Return the files in the work tree that git tracks or would add."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", *patterns]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("not a checkout", allow_module_level=True)
    paths = (ROOT / name for name in done.stdout.decode().split("\0") if name)
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def anchors(page: Path) -> set[str]:
    """Return the fragments that a code host assigns to the headings of a page."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    plain = (re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(text))
    return {title.replace(" ", "-") for title in plain}


def broken(page: Path) -> Iterator[str]:
    """Yield the links of a page that lead nowhere."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(CODE.sub("", text)) + DEFINITION.findall(text):
        if ELSEWHERE.match(target):
            continue
        name, _, fragment = target.partition("#")
        place = page.parent / name if name else page
        if not place.exists():
            yield f"{target}: no such file"
        elif fragment and place.suffix == ".md" and fragment not in anchors(place):
            yield f"{target}: no such heading"


@pytest.mark.parametrize("page", committed("*.md"), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    assert list(broken(page)) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# What it *is*\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Top\n[a](there.md) [b](there.md#what-it-is) [c](#top) [d](https://example.org/x)\n"
        "[e](gone.md) ![f](gone.png) [g](there.md#gone) [h](#gone) `[i](code)`\n"
        "```\n[j](fenced)\n```\n"
    )
    assert list(broken(page)) == [
        "gone.md: no such file",
        "gone.png: no such file",
        "there.md#gone: no such heading",
        "#gone: no such heading",
    ]


def test_no_file_names_a_folder_of_a_machine_or_a_package_registry() -> None:
    results = []
    for path in committed():
        if path == Path(__file__).resolve() or path.is_relative_to(ROOT / "vectors"):
            continue  # vectors contain bytes from real systems
        data = path.read_bytes()
        if b"\0" in data[:8192]:
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if MACHINE.search(line) or REGISTRY.search(line):
                results.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    assert results == []
