meta:
  id: tally_log
  endian: le
seq:
  - id: signature
    size: '_io.size < 5 ? _io.size : 5'
    -requirement: TLY-001
  - id: records
    type: record
    repeat: eos
types:
  record:
    -requirement: TLY-002
    seq:
      - id: len_payload
        type: u1
      - id: payload
        size: '_io.size - _io.pos < len_payload ? _io.size - _io.pos : len_payload'
      - id: checksum
        type: u1
        if: not _io.eof
