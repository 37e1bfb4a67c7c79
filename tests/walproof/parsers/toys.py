"""Toy grammars with what the real ones will need: imports, enums, instances, switch-on."""

from pathlib import Path

TOY = """\
meta:
  id: toy_log
  file-extension: toy
  license: CC0-1.0
  imports:
    - toy_parts
  endian: le
seq:
  - id: header
    type: toy_parts::header
  - id: entries
    type: entry
    repeat: expr
    repeat-expr: header.num_entries
  - id: rest
    size-eos: true
instances:
  first_big:
    pos: 4
    type: u8
    if: _io.size >= 12
types:
  entry:
    seq:
      - id: kind
        type: u1
        enum: kind
      - id: len_body
        type: u1
      - id: body
        size: len_body
        type:
          switch-on: kind
          cases:
            'kind::number': amount
            'kind::name': name
      - id: note
        type: u1
        if: kind == kind::number
    instances:
      is_number:
        value: kind == kind::number
  amount:
    seq:
      - id: value
        type: u8
  name:
    seq:
      - id: text
        type: str
        size-eos: true
        encoding: UTF-8
enums:
  kind:
    1: number
    2: name
"""
PARTS = """\
meta:
  id: toy_parts
  license: CC0-1.0
  endian: le
types:
  header:
    seq:
      - id: magic
        contents: TOY
      - id: num_entries
        type: u1
"""
# A number above 2^53, a name, an unknown kind whose body stays bytes, and one byte behind it.
LOG = bytes.fromhex(
    "544f5903" + "0108bebafecaefbeadde2a" + "0203c3a97a" + "0902beef" + "ff"
)  # fmt: skip


def write_toys(folder: Path) -> Path:
    """Write both grammars to a folder; return it."""
    (folder / "toy_log.ksy").write_text(TOY)
    (folder / "toy_parts.ksy").write_text(PARTS)
    return folder
