# SPDX-License-Identifier: CC0-1.0
meta:
  id: leb128
  title: Unsigned integer of seven bits per byte
  license: CC0-1.0
seq:
  - id: groups
    type: group
    repeat: until
    repeat-until: not _.has_next
types:
  group:
    seq:
      - id: b
        type: u1
    instances:
      has_next:
        value: (b & 0x80) != 0
      value:
        value: b & 0x7f
instances:
  value:
    value: |
      groups[0].value
      + (groups.size >= 2 ? groups[1].value << 7 : 0)
      + (groups.size >= 3 ? groups[2].value << 14 : 0)
