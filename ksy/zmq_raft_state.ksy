# SPDX-License-Identifier: CC0-1.0
meta:
  id: zmq_raft_state
  title: zmq-raft state file
  application: zmq-raft
  file-extension: pers
  tags:
    - database
    - log
  license: CC0-1.0
  ks-version: 0.11
  imports:
    - message_pack
  endian: be
doc: |
  The persistent state of zmq-raft (current term, vote, peers). The file is a
  sequence of MessagePack maps without gaps. Each map holds the keys that
  changed. The file has no header, and a new file is empty. The last value of
  each key is the current value.

  This grammar describes the structure and does not check any values. It
  accepts every input. After damage, it may list values that were never
  written.
doc-ref:
  - spec/zmq-raft.md
  - https://github.com/royaltm/node-zmq-raft/blob/master/lib/common/file_persistence.js
seq:
  - id: updates
    -requirement:
      - ZMR-070
      - ZMR-071
      - ZMR-076
      - ZMR-077
    type: message_pack::value(0, _io.pos)
    repeat: eos
    doc: |
      Updates of the state. In an undamaged file, each update is a map. The
      last update may be cut short.
