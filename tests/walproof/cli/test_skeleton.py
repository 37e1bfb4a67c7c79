"""``walproof skeleton`` copies a skeleton to a new folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import ROOT
from walproof.cli import walproof
from walproof.cli.skeleton import LANGUAGES

SKELETONS = ROOT / "conformance" / "skeletons"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_skeleton_is_a_copy_and_names_its_source(language: str, tmp_path: Path) -> None:
    out = tmp_path / "mine"
    done = CliRunner().invoke(walproof, ["skeleton", language, "-o", str(out)])
    assert done.exit_code == 0
    named = Path(done.output.partition(": ")[0])
    source = SKELETONS / language / named.relative_to(out)
    assert named.read_bytes() == source.read_bytes() and b"walproof check" in source.read_bytes()
    assert {path.name for path in out.rglob("*.*")} <= {named.name, "Cargo.toml"}
    again = CliRunner().invoke(walproof, ["skeleton", language, "-o", str(out)])
    assert again.exit_code == 1 and "already exists" in again.output


def test_the_help_lists_the_languages() -> None:
    text = CliRunner().invoke(walproof, ["skeleton", "--help"]).output
    assert f"{', '.join(LANGUAGES[:-1])} or {LANGUAGES[-1]}" in text
