# SPDX-License-Identifier: CC0-1.0
meta:
  id: token_file
  title: Token file, the container of zmq-raft
  application: zmq-raft
  license: CC0-1.0
  ks-version: 0.11
  endian: le
doc: |
  A sequence of chunks. A chunk has a token of four bytes, a length, data, and
  zeros up to a multiple of four bytes. Index files and snapshots begin with
  chunks. The last chunk is the marker, which has no data. Data without framing
  follows the marker. The grammars of index files and snapshots import the type
  `chunk`.

  This grammar describes the structure and does not check any values. Lengths
  that extend beyond the end of the file are clamped (`is_truncated`).
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
    doc: Chunks up to the end of the file.
  - id: rest
    size-eos: true
    doc: Up to seven bytes at the end of the file, too few for a chunk.
types:
  chunk:
    doc: One chunk with its padding.
    doc-ref: spec/zmq-raft.md ZMR-001
    params:
      - id: marker
        type: bytes
        doc: Token of the marker. The marker has no data, even if its length is not zero.
    seq:
      - id: token
        -requirement: ZMR-001
        size: 4
        doc: Type of the chunk, four printable characters by convention.
      - id: len_data
        -requirement: ZMR-001
        type: u4
        doc: Length of the data in bytes, without the padding.
      - id: data
        -requirement:
          - ZMR-001
          - ZMR-003
        size: '(is_marker ? 0.as<s8> : (len_data.as<s8> < (_io.size.as<s8> - _io.pos.as<s8>).as<s8> ? len_data.as<s8> : (_io.size.as<s8> - _io.pos.as<s8>).as<s8>).as<s8>).as<s8>'
        doc: Data of the chunk. It is shorter than `len_data` if the file ends too early.
      - id: padding
        -requirement:
          - ZMR-001
          - ZMR-004
        size: '(is_marker ? 0.as<s8> : (len_padding.as<s8> < (_io.size.as<s8> - _io.pos.as<s8>).as<s8> ? len_padding.as<s8> : (_io.size.as<s8> - _io.pos.as<s8>).as<s8>).as<s8>).as<s8>'
        doc: |
          Padding up to a multiple of four bytes. Writers write zeros, and
          readers skip any content.
    instances:
      is_marker:
        -requirement: ZMR-004
        value: token == marker
        doc: True if this chunk is the marker, which is the last chunk.
      len_padding:
        value: '(4 - len_data % 4) % 4'
        doc: Number of bytes from the end of the data to the next multiple of four.
      is_truncated:
        value: 'is_marker ? false : data.length.as<s8> < len_data.as<s8>'
        doc: True if `data` was clamped.
