# SPDX-License-Identifier: CC0-1.0
meta:
  id: toy_log
  title: A log with one of everything that a change may touch
  file-extension: log
  license: CC0-1.0
  ks-version: 0.11
  endian: le
  encoding: UTF-8
seq:
  - id: magic
    contents: TOYLOG
  - id: version
    type: u2
    valid:
      min: 1
      max: 2
  - id: len_header
    type: u2
  - id: header
    size: len_header
    type: file_header
  - id: records
    type: record
    repeat: until
    repeat-until: _io.eof or _.prefix.len_body == 0
types:
  file_header:
    seq:
      - id: created_at
        type: u8
      - id: flags
        type: u1
      - id: reserved
        size: 7
  record:
    seq:
      - id: prefix
        type: record_prefix
      - id: sequence
        type: u4
        if: _root.header.flags & 1 != 0
      - id: body
        size: prefix.len_body
        type:
          switch-on: prefix.kind
          cases:
            'kind::put': put
            'kind::delete': delete
        if: prefix.len_body != 0
    instances:
      checksum_input:
        pos: 0
        size: prefix.len_body + 4
      is_put:
        value: prefix.kind == kind::put
  record_prefix:
    seq:
      - id: checksum
        type: u4
      - id: len_body
        type: u2
      - id: kind
        type: u1
        enum: kind
        valid:
          in-enum: true
  put:
    seq:
      - id: len_key
        type: u2
      - id: key
        type: str
        size: len_key
      - id: value
        size-eos: true
  delete:
    seq:
      - id: len_key
        type: u2
      - id: key
        type: str
        size: len_key
enums:
  kind:
    1: put
    2: delete
