"""The trial of packages: what it ran, what it could not and why; wrong lines are noticed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from walproof.parsers import trial
from walproof.parsers.languages import LANGUAGES, Language
from walproof.parsers.package import EXAMPLES
from walproof.parsers.trial import Tried, try_offline


@pytest.mark.parametrize("id", [one.id for one in LANGUAGES.values() if one.offline])
def test_packages_of_registries_out_of_reach_are_built_and_run(id: str, tmp_path: Path) -> None:
    """Not everywhere, not even in continuous integration, are Ruby and a compiler of C#."""
    language = LANGUAGES[id]
    assert language.offline
    if gone := [one for one in language.offline.needs if shutil.which(one) is None]:
        pytest.skip(f"unavailable, because {' and '.join(gone)} not found")
    tried = try_offline(language, language.offline, tmp_path / id)
    assert [one for one in tried if one.said is not None] == []
    ran = " ".join(one.command for one in tried)
    assert all(f"logs/{one['grammar']}.log" in ran for one in EXAMPLES)
    assert len(tried) == len(EXAMPLES) + 2  # built, every example, the tests of the package


def test_an_example_that_prints_something_else_has_failed(tmp_path: Path) -> None:
    assert trial._run("printf '0 1\\n'", tmp_path, ["0 1"]).said is None
    assert "this is owed" in (trial._run("printf '0 2\\n'", tmp_path, ["0 1"]).said or "")
    assert trial._run("exit 4", tmp_path).said == "exit status 4"


NOT_FETCHED = Tried("fetch it", "no route to host", fetched=True)
WRONG = Tried("test it", "one log is read wrong")


@pytest.mark.parametrize(
    ("tried", "said", "good"),
    [
        ([Tried("fetch it", fetched=True), Tried("test it")], "ok  test it", True),
        ([NOT_FETCHED], "unavailable, because `fetch it` failed: no route to host", True),
        ([Tried("fetch it", fetched=True), WRONG], "FAILED  test it", False),
    ],
)
def test_what_cannot_be_had_is_told_from_what_is_wrong(
    tried: list[Tried], said: str, good: bool, monkeypatch, capsys
) -> None:
    language = LANGUAGES["ruby"]
    assert language.offline
    language = replace(language, offline=replace(language.offline, needs=("no-such-ruby",)))
    monkeypatch.setattr(trial, "missing", lambda language: [])
    monkeypatch.setattr(trial, "try_package", lambda language, folder: tried)
    assert trial._try(language) is good
    assert f"ruby: {said}" in capsys.readouterr().out


def test_a_language_whose_parsers_go_wrong_in_silence_is_not_offered() -> None:
    """The compiler's target for Perl drops the parameters of types."""
    assert not {"perl"} & set(LANGUAGES)
    untried = [one.id for one in LANGUAGES.values() if not one.tried]
    assert untried == ["php", "lua"]


def toy(language: Language, text: str) -> str:
    return language.together({"Toy.cs": text})["Toy.cs"]


def test_csharp_names_of_types_and_fields_do_not_clash() -> None:
    text = """\
namespace Kaitai
{
    public partial class Toy : KaitaiStruct
    {
        public enum Kind
        {
            One = 1,
        }
        private void _read()
        {
            _header = new Header(m_io, this, m_root);
            _kind = ((Kind) m_io.ReadU1());
            _big = Header.Size + (Kind == Kind.One ? 1 : 0);
        }
        public partial class Header : KaitaiStruct
        {
            public Header(KaitaiStream p__io, Toy p__parent = null) : base(p__io)
            private Toy.Header m_parent;
            public byte Size { get { return _size; } }
        }
        private Header _header;
        /// <summary>Header of all.</summary>
        public Header Header { get { return _header; } }
        public Kind Kind { get { return _kind; } }
    }
}
"""
    other = "    private Toy.Header _a;\n    public Toy.Header Header { get { return _a; } }\n"
    texts = LANGUAGES["csharp"].together({"Toy.cs": text, "Other.cs": other})
    fixed = texts["Toy.cs"]
    for line in (
        "public partial class HeaderType : KaitaiStruct",
        "public HeaderType(KaitaiStream p__io",
        "_header = new HeaderType(m_io",
        "private Toy.HeaderType m_parent;",
        "public HeaderType Header {",
        "public enum KindType",
        "public KindType Kind {",
        "_kind = ((KindType) m_io.ReadU1());",
        "_big = Header.Size + (Kind == KindType.One ? 1 : 0);",
        "/// <summary>Header of all.</summary>",
    ):
        assert line in fixed, fixed
    assert texts["Other.cs"] == other.replace("Toy.Header ", "Toy.HeaderType ")


def test_csharp_expressions_that_do_not_compile_are_put_right() -> None:
    csharp = LANGUAGES["csharp"]
    assert toy(csharp, "  _a = (K) (((T.K) B[0] & 255));\n") == (
        "  _a = (K) (((T.K) (B[0] & 255)));\n"
    )
    assert toy(csharp, "x = KaitaiStream.Mod(8 - KaitaiStream.Mod(f(a, b), 4), 8);") == (
        "x = KaitaiStream.Mod((long) (8 - KaitaiStream.Mod((long) (f(a, b)), 4)), 8);"
    )
