# SPDX-License-Identifier: CC0-1.0
meta:
  id: sensor_archive
  title: "Archive of \"sensor\" readings"
  file-extension: sar
  license: CC0-1.0
  endian: le
  bit-endian: be
  encoding: UTF-8
  imports: [/common/leb128]
doc: |
  A header, a table of sections, and the sections. The grammar uses what public
  grammars use: bit fields, enums, switches, substreams, texts in several
  encodings, floats, an imported type, parameters, and instances.
seq:
  - id: header
    type: header
  - id: sections
    type: section
    repeat: expr
    repeat-expr: header.num_sections.value
  - id: trailer
    type: trailer
types:
  header:
    seq:
      - id: magic
        contents: [0x53, 0x41, 0x52, 0x00]
      - id: version
        type: u2
        valid:
          min: 1
          max: 9
      - id: is_compressed
        type: b1
      - id: level
        type: b3
      - id: reserved
        type: b12
      - id: num_sections
        type: leb128
      - id: created
        type: u8be
        if: version >= 2
    instances:
      num_sections_again:
        value: num_sections.value
  section:
    seq:
      - id: kind
        type: u1
        enum: section_kind
      - id: len_body
        type: leb128
      - id: body
        size: len_body.value
        type:
          switch-on: kind
          cases:
            'section_kind::readings': readings
            'section_kind::texts': texts
            'section_kind::nested': nested(3)
  readings:
    seq:
      - id: sensor
        type: strz
        encoding: ASCII
      - id: readings
        type: reading
        repeat: eos
  reading:
    seq:
      - id: at
        type: u4be
      - id: value
        type: f4
      - id: precise
        type: f8be
    instances:
      is_late:
        value: at > 1000
  texts:
    seq:
      - id: len_name
        type: u1
      - id: name
        type: str
        size: len_name
        encoding: UTF-16LE
      - id: padded
        type: str
        size: 8
        pad-right: 0x20
        encoding: ISO-8859-1
      - id: secret
        size: 5
        process: xor(0x5a)
      - id: turned
        size: 3
        process: rol(3)
      - id: wide
        type: strz
        encoding: UTF-16BE
      - id: rest
        size-eos: true
        process: xor([0x01, 0x02])
  nested:
    params:
      - id: depth
        type: u1
    seq:
      - id: on
        type: s2be
      - id: type
        type: u1
      - id: children
        type: u1
        repeat: until
        repeat-until: _ == 0
  trailer:
    seq:
      - id: ofs_end
        type: u4
    instances:
      first_byte:
        pos: 0
        type: u1
      version_by_root:
        value: _root.header.version
enums:
  section_kind:
    1: readings
    2:
      id: texts
      doc: Texts in several encodings.
    0x10: nested
