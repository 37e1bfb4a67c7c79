meta:
  id: prometheus_wal
  endian: le
seq:
  - id: signature
    size: '_io.size < 5 ? _io.size : 5'
    -requirement: PRW-001
  - id: records
    type: record
    repeat: eos
types:
  record:
    -requirement: PRW-002
    seq:
      - id: len_payload
        type: u1
      - id: payload
        size: '_io.size - _io.pos < len_payload ? _io.size - _io.pos : len_payload'
      - id: checksum
        type: u1
        if: not _io.eof
