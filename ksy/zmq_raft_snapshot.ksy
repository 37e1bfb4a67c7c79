# SPDX-License-Identifier: CC0-1.0
meta:
  id: zmq_raft_snapshot
  title: zmq-raft snapshot
  application: zmq-raft
  file-extension: snap
  tags:
    - database
    - log
  license: CC0-1.0
  ks-version: 0.11
  imports:
    - token_file
  endian: le
doc: |
  The state up to one entry of zmq-raft's log: a header, chunks up to the
  marker DATA, and the data up to the end of the file.

  This grammar describes structure and judges nothing. It accepts every input;
  whether `data` is as long as the header says is for the reader to check.
doc-ref:
  - spec/zmq-raft.md
  - https://github.com/royaltm/node-zmq-raft/blob/master/lib/common/snapshotfile.js
seq:
  - id: header
    -requirement:
      - ZMR-060
      - ZMR-041
    type: snap_header
    if: has_header
    doc: The chunk SNAP.
  - id: chunks
    -requirement:
      - ZMR-003
      - ZMR-005
    type: token_file::chunk([0x44, 0x41, 0x54, 0x41])
    repeat: until
    repeat-until: _.is_marker or _io.size - _io.pos < 8
    if: _io.size - _io.pos >= 8 and has_header
    doc: META and any others, up to DATA. The last one is DATA in a sound file.
  - id: data
    -requirement:
      - ZMR-061
      - ZMR-062
      - ZMR-063
    size-eos: true
    doc: |
      The snapshot itself, often compressed with gzip; the whole file if it is too
      short for a header.
instances:
  has_header:
    value: _io.size >= sizeof<snap_header>
    doc: False if the file is shorter than 36 bytes; then there is only `data`.
types:
  snap_header:
    doc: Token, length, version, index, term and size, 36 bytes.
    doc-ref: spec/zmq-raft.md ZMR-060
    seq:
      - id: token
        -requirement: ZMR-041
        size: 4
        doc: SNAP.
      - id: len_body
        -requirement: ZMR-042
        type: u4
        doc: Length of the chunk, always 28.
      - id: version
        -requirement: ZMR-041
        type: u4
        doc: Always 1.
      - id: index
        -requirement: ZMR-061
        type: u8
        doc: Index of the last entry whose effect is in the snapshot.
      - id: term
        -requirement: ZMR-061
        type: u8
        doc: Term of that entry.
      - id: len_data
        -requirement:
          - ZMR-062
          - ZMR-063
        type: u8
        doc: Length of the data; zero while a stream of unknown length is being written.
