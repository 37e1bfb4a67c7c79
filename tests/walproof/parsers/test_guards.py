"""Guards: instances that can be evaluated in a complete object."""

from pathlib import Path

from conformance.kaitai.guards import Guards
from conformance.kaitai.model import Model

GRAMMAR = """\
meta:
  id: toy
  license: CC0-1.0
seq:
  - id: kind
    type: u1
  - id: body
    type: body
    if: has_body
  - id: tail
    type: u1
    if: _io.size >= 9
instances:
  has_body:
    value: kind == 1 and _io.size >= 5
  safe_by_ternary:
    value: 'has_body ? body.len : 0'
  safe_by_own_if:
    value: body.len
    if: has_body
  safe_by_conjunct:
    value: 'kind == 1 and has_body ? body.len : 0'
  safe_by_larger_file:
    value: '_io.size >= 12 ? tail : 0'
  not_safe:
    value: body.len + 1
  not_safe_in_else:
    value: 'has_body ? 0 : body.len'
  not_safe_through_another:
    value: not_safe * 2
  not_safe_inside:
    value: 'has_body ? body.extra : 0'
types:
  body:
    seq:
      - id: len
        type: u1
      - id: extra
        type: u1
        if: len > 1
"""


def test_missing_guards_of_instances(tmp_path: Path) -> None:
    (tmp_path / "toy.ksy").write_text(GRAMMAR)
    model = Model("toy", tmp_path)
    guards = Guards(model)
    owner = model.types["Toy"]
    missing = {name: guards.missing_in_instance(owner, name) for name in owner.body["instances"]}
    assert missing == {
        "has_body": None,
        "safe_by_ternary": None,
        "safe_by_own_if": None,
        "safe_by_conjunct": None,
        "safe_by_larger_file": None,
        "not_safe": "body",
        "not_safe_in_else": "body",
        "not_safe_through_another": "body",
        "not_safe_inside": "body.extra",
    }
