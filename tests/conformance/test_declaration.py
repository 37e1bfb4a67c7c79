"""An invalid declaration causes a one-line error with the file, the key and the expected value."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import registry
from conformance.declaration import BrokenDeclaration

GOOD = {
    "name": '"one"',
    "title": '"One 1.0"',
    "formats": '["leveldb-log"]',
    "command": '["{python}", "{here}/adapter.py"]',
}


def put(folder: Path, **changed: str | None) -> Path:
    folder.mkdir(exist_ok=True)
    lines = [f"{key} = {value}\n" for key, value in (GOOD | changed).items() if value is not None]
    (folder / "implementation.toml").write_text("".join(lines))
    return folder


def test_a_minimal_declaration_loads(tmp_path: Path) -> None:
    loaded = registry.load(put(tmp_path / "one"))
    assert (loaded.name, loaded.formats) == ("one", ("leveldb-log",))
    assert (loaded.needs, loaded.build) == ((), ())


def test_a_star_must_be_the_only_format(tmp_path: Path) -> None:
    assert registry.load(put(tmp_path / "one", formats='["*"]')).formats == ()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"title": None}, r'"title" is a required property'),
        ({"title": "3"}, r'title: 3 is not of type "string"'),
        ({"optinal": "true"}, r"'optinal' was unexpected"),
        ({"command": '"run it"'}, r'command: "run it" is not of type "array"'),
        ({"formats": '["zeebe"]'}, r"formats: 'zeebe' is not one of .*zeebe-journal"),
        ({"formats": '["*", "leveldb-log"]'}, r"formats: \* must be the only format"),
        ({"name": '"two"'}, r"name: expected that of the folder, found 'two'"),
        ({"command": '["{biuld}/x"]'}, r"'\{biuld\}/x': only \{build\}, \{here\} and"),
        ({"build": '["sh", "{}"]'}, r"'\{\}': only "),
        ({"build": '["${HOME"]'}, r"'\$\{HOME': only "),
        ({"name": "3 4"}, r"at line 1, column"),
    ],
)
def test_errors_name_file_and_key(
    tmp_path: Path, changed: dict[str, str | None], message: str
) -> None:
    folder = put(tmp_path / "one", **changed)
    with pytest.raises(BrokenDeclaration, match=rf"one/implementation\.toml: .*{message}"):
        registry.load(folder)


def test_invalid_utf8_is_an_error(tmp_path: Path) -> None:
    (put(tmp_path / "one") / "implementation.toml").write_bytes(b'name = "\xff"\n')
    with pytest.raises(BrokenDeclaration, match=r"implementation\.toml: .*utf-8"):
        registry.load(tmp_path / "one")
