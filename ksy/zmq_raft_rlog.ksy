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
  A part of the log of zmq-raft. The file has a header, a table with the end of
  each entry, chunks up to the marker ITMZ, and the entries without gaps. An
  entry is committed when its offset is in the table. The first zero in the
  table ends the log. Bytes after the last committed entry have no meaning.

  This grammar describes the structure and does not check any values. It
  accepts every input. A table that is longer than the file is clamped. Entries
  are listed up to the first offset that does not increase or is beyond the end
  of the file. The format has no checksums.
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
    doc: The chunk RLOG without its table of offsets.
  - id: offsets
    -requirement:
      - ZMR-011
      - ZMR-017
    type: u4
    repeat: expr
    repeat-expr: num_offsets
    if: has_header
    doc: |
      End of each entry, counted from the start of `data`; zero if the entry is
      not stored. Non-zero offsets after the first zero are left over from a
      rollback.
  - id: chunks
    -requirement:
      - ZMR-003
      - ZMR-005
    type: token_file::chunk([0x49, 0x54, 0x4d, 0x5a])
    repeat: until
    repeat-until: _.is_marker or _io.size - _io.pos < 8
    if: _io.size - _io.pos >= 8 and has_header
    doc: |
      The chunk META and any other chunks, up to the marker. In an undamaged
      file, the last chunk is the marker ITMZ.
  - id: data
    -requirement: ZMR-012
    size-eos: true
    type: entries
    if: has_header
    doc: The entries without padding between them, and all bytes after the entries.
  - id: rest
    -requirement: ZMR-044
    size-eos: true
    if: not has_header
    doc: The whole file, if the file is too short for a header.
instances:
  has_header:
    value: _io.size >= sizeof<rlog_header>
    doc: False if the file is shorter than 24 bytes. All bytes are then in `rest`.
  num_room:
    value: 'has_header ? ((_io.size.as<s8> - sizeof<rlog_header>).as<s8> / 4).as<s8> : 0.as<s8>'
    doc: Number of offsets that fit between the header and the end of the file.
  num_offsets:
    -requirement: ZMR-042
    value: 'has_header ? (header.capacity.as<s8> < num_room.as<s8> ? header.capacity.as<s8> : num_room.as<s8>).as<s8> : 0.as<s8>'
    doc: |
      Number of offsets in the table, at most `num_room`; equal to `capacity`
      in an undamaged file.
types:
  rlog_header:
    doc: Token, length, version, capacity and first index of the file, 24 bytes.
    doc-ref: spec/zmq-raft.md ZMR-010
    seq:
      - id: token
        -requirement: ZMR-041
        size: 4
        doc: Token of the chunk, always RLOG.
      - id: len_body
        -requirement: ZMR-042
        type: u4
        doc: 'Length of the data of the chunk in bytes: 16 plus 4 for each offset.'
      - id: version
        -requirement: ZMR-041
        type: u4
        doc: Version of the format, always 1.
      - id: capacity
        -requirement:
          - ZMR-010
          - ZMR-014
        type: u4
        doc: Number of entries that the file can hold, and number of offsets in the table.
      - id: first_index
        -requirement:
          - ZMR-010
          - ZMR-043
        type: u8
        doc: Index of the first entry, which is also in the name of the file.
  entries:
    doc: The data area, with the entries of the file.
    doc-ref: spec/zmq-raft.md ZMR-012
    seq:
      - id: entries
        -requirement:
          - ZMR-012
          - ZMR-030
          - ZMR-046
          - ZMR-047
        type: entry
        # Never negative: repeat-until stops if the next offset is not larger.
        size: '(_root.offsets[entries.size].as<s8> - (entries.size > 0 ? _root.offsets[entries.size - 1].as<s8> : 0.as<s8>).as<s8>).as<s8>'
        repeat: until
        repeat-until: |
          (entries.size.as<s8> < _root.num_offsets.as<s8> ? _root.offsets[entries.size].as<s8> : 0.as<s8>).as<s8>
          <= _root.offsets[entries.size - 1].as<s8>
          or _root.offsets[entries.size].as<s8> > _io.size.as<s8>
        if: has_entries
        doc: |
          Committed entries, up to the first offset that does not increase or
          is beyond the end of the file.
      - id: rest
        -requirement: ZMR-016
        size-eos: true
        doc: |
          Bytes after the last listed entry: entries that were rolled back,
          entries that are not committed yet, or all entries after a wrong
          offset.
    instances:
      has_entries:
        # `data` is parsed only if the file has a header.
        value: 'len_first.as<s8> > 0 ? len_first.as<s8> <= _io.size : false'
        doc: |
          False if the first entry is not stored, or if the file does not
          contain the whole entry.
      len_first:
        # `data` is parsed only if the file has a header.
        value: '_root.num_offsets > 0 ? _root.offsets[0].as<s8> : 0'
        doc: |
          Length of the first entry in bytes. It equals the first offset, because
          the first entry begins at the start of `data`.
  entry:
    doc: One entry. `header` is present if the entry is at least 20 bytes long.
    doc-ref: spec/zmq-raft.md ZMR-030
    seq:
      - id: header
        -requirement: ZMR-030
        type: entry_header
        if: _io.size >= sizeof<entry_header>
        doc: The 20 bytes before the data.
      - id: data
        -requirement:
          - ZMR-030
          - ZMR-032
          - ZMR-048
        size-eos: true
        doc: The payload, or the whole entry if the entry is too short for a header.
  entry_header:
    doc: Request id, type and term, 20 bytes.
    doc-ref: spec/zmq-raft.md ZMR-030
    seq:
      - id: request_id
        -requirement: ZMR-030
        size: 12
        doc: Id of the client request that created the entry; zeros if no client sent the entry.
      - id: type
        -requirement:
          - ZMR-030
          - ZMR-031
        type: u1
        enum: entry_type
        doc: Type of the entry. Readers accept every type.
      - id: term
        -requirement:
          - ZMR-049
          - ZMR-050
        type: b56le
        doc: 'Term, 7 bytes: a number from 1 to 2^53 - 1 that never decreases from entry to entry.'
enums:
  entry_type:
    0:
      id: state
      -orig-id: LOG_ENTRY_TYPE_STATE
      doc: Input of the state machine.
    1:
      id: config
      -orig-id: LOG_ENTRY_TYPE_CONFIG
      doc: A change of the peers in the cluster. The data is MessagePack.
    2:
      id: checkpoint
      -orig-id: LOG_ENTRY_TYPE_CHECKPOINT
      doc: The first entry that a new leader writes. The data is the byte c0.
