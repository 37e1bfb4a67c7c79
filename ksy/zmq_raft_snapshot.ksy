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
  The state of the zmq-raft state machine after one entry of the log. The file
  has a header, chunks up to the marker DATA, and the data up to the end of the
  file.

  This grammar describes the structure and does not check any values. It
  accepts every input. A reader must compare the length of `data` with the
  length in the header.
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
    doc: The chunk SNAP, which begins the file.
  - id: chunks
    -requirement:
      - ZMR-003
      - ZMR-005
    type: token_file::chunk([0x44, 0x41, 0x54, 0x41])
    repeat: until
    repeat-until: _.is_marker or _io.size - _io.pos < 8
    if: _io.size - _io.pos >= 8 and has_header
    doc: |
      The chunk META and any other chunks, up to the marker. In an undamaged
      file, the last chunk is the marker DATA.
  - id: data
    -requirement:
      - ZMR-061
      - ZMR-062
      - ZMR-063
    size-eos: true
    doc: |
      Content of the snapshot, often compressed with gzip. The whole file, if
      the file is too short for a header.
instances:
  has_header:
    value: _io.size >= sizeof<snap_header>
    doc: False if the file is shorter than 36 bytes. All bytes are then in `data`.
types:
  snap_header:
    doc: Token, length, version, index, term and size of the snapshot, 36 bytes.
    doc-ref: spec/zmq-raft.md ZMR-060
    seq:
      - id: token
        -requirement: ZMR-041
        size: 4
        doc: Token of the chunk, always SNAP.
      - id: len_body
        -requirement: ZMR-042
        type: u4
        doc: Length of the data of the chunk in bytes, always 28.
      - id: version
        -requirement: ZMR-041
        type: u4
        doc: Version of the format, always 1.
      - id: index
        -requirement: ZMR-061
        type: u8
        doc: Index of the last entry that the snapshot includes.
      - id: term
        -requirement: ZMR-061
        type: u8
        doc: Term of the last entry that the snapshot includes.
      - id: len_data
        -requirement:
          - ZMR-062
          - ZMR-063
        type: u8
        doc: Length of `data` in bytes; zero while a writer writes a stream of unknown length.
