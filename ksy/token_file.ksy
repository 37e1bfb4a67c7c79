# SPDX-License-Identifier: CC0-1.0
meta:
  id: token_file
  title: Token file, the container of zmq-raft
  application: zmq-raft
  license: CC0-1.0
  ks-version: 0.11
  endian: le
doc: |
  A sequence of chunks. A chunk is a token of four bytes, a length, data, and
  zeros up to a multiple of four. Index files and snapshots begin with chunks.
  The last one is a marker, an empty chunk; after it comes data without
  framing. Their own grammars import the type `chunk`.

  This grammar describes structure and judges nothing. Lengths that lead past
  the end are clamped to the bytes that are there (`is_truncated`).
doc-ref:
  - spec/zmq-raft.md ZMR-001 to ZMR-004
  - https://github.com/royaltm/node-zmq-raft/blob/master/lib/utils/tokenfile.js
seq:
  - id: chunks
    -requirement: ZMR-001
    type: chunk([0xff, 0xff, 0xff, 0xff])
    repeat: until
    repeat-until: _io.size - _io.pos < 8
    if: _io.size >= 8
    doc: Chunks to the end of the file.
  - id: rest
    size-eos: true
    doc: Fewer than eight bytes at the end, too few for a chunk.
types:
  chunk:
    doc: One chunk with its padding.
    doc-ref: spec/zmq-raft.md ZMR-001
    params:
      - id: marker
        type: bytes
        doc: The token of the chunk that has no data, whatever its length field says.
    seq:
      - id: token
        -requirement: ZMR-001
        size: 4
        doc: What the chunk is, four printable characters by convention.
      - id: len_data
        -requirement: ZMR-001
        type: u4
        doc: Length of the data without the padding.
      - id: data
        -requirement:
          - ZMR-001
          - ZMR-003
        size: '(is_marker ? 0.as<s8> : (len_data.as<s8> < (_io.size.as<s8> - _io.pos.as<s8>).as<s8> ? len_data.as<s8> : (_io.size.as<s8> - _io.pos.as<s8>).as<s8>).as<s8>).as<s8>'
        doc: The data. It has fewer than `len_data` bytes if the file ends too early.
      - id: padding
        -requirement:
          - ZMR-001
          - ZMR-004
        size: '(is_marker ? 0.as<s8> : (len_padding.as<s8> < (_io.size.as<s8> - _io.pos.as<s8>).as<s8> ? len_padding.as<s8> : (_io.size.as<s8> - _io.pos.as<s8>).as<s8>).as<s8>).as<s8>'
        doc: Writers write zeros; readers skip it, whatever it holds.
    instances:
      is_marker:
        -requirement: ZMR-004
        value: token == marker
        doc: True for the marker, after which there are no more chunks.
      len_padding:
        value: '(4 - len_data % 4) % 4'
        doc: Bytes from the data to the next multiple of four.
      is_truncated:
        value: 'is_marker ? false : data.length.as<s8> < len_data.as<s8>'
        doc: True if `data` was clamped.
