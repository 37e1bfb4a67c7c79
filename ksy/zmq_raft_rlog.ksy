# SPDX-License-Identifier: CC0-1.0
meta:
  id: zmq_raft_rlog
  title: zmq-raft index file
  application: zmq-raft
  file-extension: rlog
  tags:
    - database
    - log
  license: CC0-1.0
  ks-version: 0.11
  imports:
    - token_file
  endian: le
doc: |
  Part of the log of zmq-raft: a header, a table with the end of each entry,
  chunks up to the marker ITMZ, and the entries, one directly after the other.
  An entry is committed once its offset is in the table. The first zero in the
  table ends the log, and bytes after the last committed entry mean nothing.

  This grammar describes structure and judges nothing. It accepts every input:
  a table that is longer than the file is clamped, and entries are listed up to
  the first offset that cannot be right. There is no checksum to expose.
doc-ref:
  - spec/zmq-raft.md
  - https://github.com/royaltm/node-zmq-raft/blob/master/lib/common/indexfile.js
seq:
  - id: header
    -requirement:
      - ZMR-010
      - ZMR-040
    type: rlog_header
    if: has_header
    doc: The chunk RLOG up to its table.
  - id: offsets
    -requirement:
      - ZMR-011
      - ZMR-017
    type: u4
    repeat: expr
    repeat-expr: num_offsets
    if: has_header
    doc: |
      End of each entry, counted from the start of `data`. Zero: not stored.
      Everything after the first zero is left over from a rollback.
  - id: chunks
    -requirement:
      - ZMR-003
      - ZMR-005
    type: token_file::chunk([0x49, 0x54, 0x4d, 0x5a])
    repeat: until
    repeat-until: _.is_marker or _io.size - _io.pos < 8
    if: _io.size - _io.pos >= 8 and has_header
    doc: META and any others, up to ITMZ. The last one is ITMZ in a sound file.
  - id: data
    -requirement: ZMR-012
    size-eos: true
    type: entries
    if: has_header
    doc: The entries, without padding between them, and what follows them.
  - id: rest
    -requirement: ZMR-044
    size-eos: true
    if: not has_header
    doc: The whole file, if it is too short for its header.
instances:
  has_header:
    value: _io.size >= sizeof<rlog_header>
    doc: False if the file is shorter than 24 bytes; then there is only `rest`.
  num_room:
    value: 'has_header ? ((_io.size.as<s8> - sizeof<rlog_header>).as<s8> / 4).as<s8> : 0.as<s8>'
    doc: Number of offsets that the file has room for.
  num_offsets:
    -requirement: ZMR-042
    value: 'has_header ? (header.capacity.as<s8> < num_room.as<s8> ? header.capacity.as<s8> : num_room.as<s8>).as<s8> : 0.as<s8>'
    doc: Number of offsets that are there, `capacity` in a sound file.
types:
  rlog_header:
    doc: Token, length, version, capacity and first index, 24 bytes.
    doc-ref: spec/zmq-raft.md ZMR-010
    seq:
      - id: token
        -requirement: ZMR-041
        size: 4
        doc: RLOG.
      - id: len_body
        -requirement: ZMR-042
        type: u4
        doc: Length of the chunk, 16 plus four for each offset.
      - id: version
        -requirement: ZMR-041
        type: u4
        doc: Always 1.
      - id: capacity
        -requirement:
          - ZMR-010
          - ZMR-014
        type: u4
        doc: Number of entries that the file can hold, and of offsets.
      - id: first_index
        -requirement:
          - ZMR-010
          - ZMR-043
        type: u8
        doc: Index of the first entry; the name of the file says the same.
  entries:
    doc: The data area.
    doc-ref: spec/zmq-raft.md ZMR-012
    seq:
      - id: entries
        -requirement:
          - ZMR-012
          - ZMR-030
          - ZMR-046
          - ZMR-047
        type: entry
        # Never negative: repeat-until stops where the next offset is not larger
        size: '(_root.offsets[entries.size].as<s8> - (entries.size > 0 ? _root.offsets[entries.size - 1].as<s8> : 0.as<s8>).as<s8>).as<s8>'
        repeat: until
        repeat-until: |
          (entries.size.as<s8> < _root.num_offsets.as<s8> ? _root.offsets[entries.size].as<s8> : 0.as<s8>).as<s8>
          <= _root.offsets[entries.size - 1].as<s8>
          or _root.offsets[entries.size].as<s8> > _io.size.as<s8>
        if: has_entries
        doc: Committed entries, up to the first offset that cannot be right.
      - id: rest
        -requirement: ZMR-016
        size-eos: true
        doc: |
          Bytes that no sound offset covers: rolled back, not yet committed, or
          after a false offset.
    instances:
      has_entries:
        # There is no `data` without a header.
        value: 'len_first.as<s8> > 0 ? len_first.as<s8> <= _io.size : false'
        doc: False if the first entry is not stored, or not whole.
      len_first:
        # There is no `data` without a header.
        value: '_root.num_offsets > 0 ? _root.offsets[0].as<s8> : 0'
        doc: Bytes of the first entry, which begins where the offsets count from.
  entry:
    doc: One entry; `header` is there if it has at least 20 bytes.
    doc-ref: spec/zmq-raft.md ZMR-030
    seq:
      - id: header
        -requirement: ZMR-030
        type: entry_header
        if: _io.size >= sizeof<entry_header>
        doc: The twenty bytes before the data.
      - id: data
        -requirement:
          - ZMR-030
          - ZMR-032
          - ZMR-048
        size-eos: true
        doc: The payload, or the whole entry if it is too short for a header.
  entry_header:
    doc: Request id, type and term, 20 bytes.
    doc-ref: spec/zmq-raft.md ZMR-030
    seq:
      - id: request_id
        -requirement: ZMR-030
        size: 12
        doc: Id of the request that the entry answers; zeros for none.
      - id: type
        -requirement:
          - ZMR-030
          - ZMR-031
        type: u1
        enum: entry_type
        doc: What the entry is for; not checked by readers.
      - id: term
        -requirement:
          - ZMR-049
          - ZMR-050
        type: b56le
        doc: Term, 7 bytes; from 1 to 2^53 - 1, and never falling from entry to entry.
enums:
  entry_type:
    0:
      id: state
      -orig-id: LOG_ENTRY_TYPE_STATE
      doc: A change of the state machine.
    1:
      id: config
      -orig-id: LOG_ENTRY_TYPE_CONFIG
      doc: A change of the cluster; the data is MessagePack.
    2:
      id: checkpoint
      -orig-id: LOG_ENTRY_TYPE_CHECKPOINT
      doc: The first entry of a leader's term; the data is the byte c0.
