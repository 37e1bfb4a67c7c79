from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from reference_impl.formats import FORMATS
from reference_impl.paths import GRAMMARS, SPEC
from reference_impl.register import load, registers

KINDS = {"torn", "damage", "refused"}
TYPES = {"integer", "boolean", "object", "list", "null", "text", "hex", "decimal", "number"}
OPERATIONS = {"read", "write", "append"}


def test_formats_follow_the_registers_in_order() -> None:
    orders = {
        path.stem: tomllib.loads(path.read_text("utf-8"))["order"] for path in SPEC.glob("*.toml")
    }
    assert list(FORMATS) == sorted(orders, key=lambda format_id: orders[format_id])
    assert len(set(orders.values())) == len(orders)
    assert list(FORMATS) == list(registers())


def test_every_chapter_of_a_format_has_a_register() -> None:
    chapters = {path.stem for path in SPEC.glob("*.md")} & set(registers())
    assert chapters == set(registers())


@pytest.mark.parametrize("id", list(registers()))
def test_registers_use_only_the_closed_lists(id: str) -> None:
    register = registers()[id]
    for reason in register.reasons.values():
        assert reason.kinds and set(reason.kinds) <= KINDS
        assert reason.requirements
        assert all(requirement.startswith(register.prefix) for requirement in reason.requirements)
    for field in register.fields.values():
        assert set(field.types) <= TYPES - {"number"}, field.name
    for key in register.context.values():
        assert set(key.types) <= TYPES and set(key.read_by) <= OPERATIONS, key.name
        assert ("integer" in key.types) is (key.range is not None), key.name
    assert sum(grammar.default for grammar in register.grammars) == 1
    assert all((GRAMMARS / f"{grammar.name}.ksy").is_file() for grammar in register.grammars)


def test_a_format_is_the_package_named_like_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for id, format in FORMATS.items():
        package = import_module(f"reference_impl.{registers()[id].module}")
        monkeypatch.setattr(package, "read", lambda *arguments: iter(arguments))
        assert [*format.read(Path("a.log"), "recover", {})] == [Path("a.log"), "recover", {}]


def test_a_missing_register_key_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "toy-log.toml"
    path.write_text('id = "toy-log"\ntitle = "A toy"\n')
    with pytest.raises(ValueError, match=r"toy-log\.toml: key 'prefix' is missing"):
        load(path)
    keys = 'id = "toy-log"\ntitle = ""\nprefix = "T"\norder = 1\nlog = []\nfile_names = []\n'
    path.write_text(f'{keys}[reasons.torn]\nwords = ""\n')
    register = load(path)
    with pytest.raises(ValueError, match=r"toy-log\.toml: key 'kinds' is missing"):
        print(register.reasons)
    path.write_text('id = "other"\n')
    with pytest.raises(ValueError, match="id: expected 'toy-log', found 'other'"):
        load(path)
