# SPDX-License-Identifier: CC0-1.0
meta:
  id: kahadb_journal
  title: KahaDB journal data file (ActiveMQ message store)
  application: Apache ActiveMQ Classic
  file-extension: log
  tags:
    - database
    - log
  license: CC0-1.0
  ks-version: 0.11
  endian: be
# `.as<s8>` below converts both operands to the same type, because Go does not
# mix integer types. Go is also the reason why `?:` replaces `and` where the
# second operand must be evaluated only if the first one is true.
doc: |
  One data file (`db-1.log`) of the journal of KahaDB, the message store of
  ActiveMQ. The file is a sequence of batches without a file header. Each batch
  has a control record of 28 bytes, which gives the total size of the records,
  and then the records. After the last batch follow an end-of-file record and
  preallocated space.

  This grammar describes the structure and does not check any values. It
  accepts every input. Sizes that are too large are clamped, and the checksum
  is exposed but not verified. The list of batches ends where the next sixteen
  bytes are not the header of a control record. All bytes from there on are
  `tail`, which may contain whole batches in a damaged file. `doc-ref` names
  the chapter that defines the expected result of reading a damaged file.
doc-ref:
  - spec/kahadb-journal.md
  - https://github.com/apache/activemq/blob/main/activemq-kahadb-store/src/main/java/org/apache/activemq/store/kahadb/disk/journal/Journal.java
seq:
  - id: batches
    -requirement:
      - KDB-001
      - KDB-030
    type: batch(_io.pos)
    repeat: until
    repeat-until: not _.is_followed_by_batch
    if: starts_with_batch
    doc: Batches without gaps, from the start of the file.
    doc-ref: spec/kahadb-journal.md KDB-001
  - id: tail
    size-eos: true
    type: tail
    doc: All bytes after the last of these batches.
instances:
  header:
    pos: 0
    size: '_io.size < 16 ? _io.size.as<s8> : 16.as<s8>'
    doc: The first 16 bytes of the file, or fewer if the file is shorter.
  starts_with_batch:
    value: |
      _io.size >= 28 ? header == [0, 0, 0, 28, 2, 87, 82, 73, 84, 69, 32, 66, 65, 84, 67, 72] : false
    doc: False if the file does not begin with a control record. `batches` is then absent.
types:
  batch:
    -checksum:
      algorithm: adler-32
      field: control.checksum
      covers: records to leftover
      least: 1
      unless: is_truncated
    doc: A control record and the records that were written with it.
    doc-ref: spec/kahadb-journal.md KDB-005, KDB-006
    params:
      - id: ofs_batch
        type: s8
        doc: Offset of the control record in the file.
    seq:
      - id: control
        -requirement: KDB-005
        type: control_record
        doc: The control record, the 28 bytes before the records.
        doc-ref: spec/kahadb-journal.md KDB-005
      - id: records
        -requirement:
          - KDB-009
          - KDB-010
        type: record(_io.pos, ofs_end.as<s8>)
        repeat: until
        repeat-until: ofs_end.as<s8> - _io.pos.as<s8> < sizeof<record_header>
        if: len_available >= sizeof<record_header>
        doc: |
          The records of the batch. Sizes after damage are unreliable, so
          records after damage may be garbage.
        doc-ref: spec/kahadb-journal.md KDB-009
      - id: leftover
        -requirement: KDB-037
        # Never negative: ofs_end is not before the end of the control record, and no record is read beyond ofs_end.
        size: ofs_end.as<s8> - _io.pos.as<s8>
        doc: |
          Bytes at the end of the batch that are too few for a record. Empty in
          an undamaged batch.
        doc-ref: spec/kahadb-journal.md KDB-037
    instances:
      len_left_in_file:
        value: (_io.size.as<s8> - ofs_batch.as<s8>).as<s8> - 28
        doc: Number of bytes from the end of the control record to the end of the file.
      is_truncated:
        -requirement:
          - KDB-035
          - KDB-042
        value: control.len_records.as<s8> > len_left_in_file.as<s8>
        doc: True if the size in the control record extends beyond the end of the file.
      len_available:
        value: |
          control.len_records < 0 ? 0.as<s8> :
            (is_truncated ? len_left_in_file.as<s8> : control.len_records.as<s8>)
        doc: Size of the records in bytes, clamped to the end of the file.
      ofs_end:
        value: (ofs_batch.as<s8> + 28).as<s8> + len_available.as<s8>
        doc: Offset of the end of the batch.
      next_header:
        pos: ofs_end
        size: '_io.size.as<s8> - ofs_end.as<s8> < 28 ? 0.as<s8> : 16.as<s8>'
        doc: The first 16 bytes after the batch; empty if fewer than 28 bytes follow the batch.
      is_followed_by_batch:
        -requirement: KDB-031
        value: next_header == [0, 0, 0, 28, 2, 87, 82, 73, 84, 69, 32, 66, 65, 84, 67, 72]
        doc: True if another control record follows the batch directly.
  control_record:
    -orig-id: BATCH_CONTROL_RECORD
    doc: The start of a batch, 28 bytes. The first sixteen bytes are the same in every batch.
    doc-ref: spec/kahadb-journal.md KDB-005
    seq:
      - id: len_control
        -requirement:
          - KDB-005
          - KDB-034
        type: s4
        doc: Length of this control record in bytes, always 28.
      - id: type
        -requirement:
          - KDB-005
          - KDB-034
        type: u1
        enum: record_type
        doc: Type of the control record, always 2.
      - id: magic
        -orig-id: BATCH_CONTROL_RECORD_MAGIC
        -requirement:
          - KDB-005
          - KDB-034
        size: 11
        doc: Magic text "WRITE BATCH", with a space.
      - id: len_records
        -orig-id: size
        -requirement:
          - KDB-006
          - KDB-033
          - KDB-035
        type: s4
        doc: Total size of all records of the batch in bytes, without this control record.
        doc-ref: spec/kahadb-journal.md KDB-006
      - id: checksum
        -requirement:
          - KDB-007
          - KDB-008
          - KDB-036
        type: s8
        doc: |
          Adler-32 of all records of the batch, stored in 64 bits. If the value
          is zero or negative, the batch has no checksum.
        doc-ref: spec/kahadb-journal.md KDB-007, KDB-008
  record_header:
    doc: Header of a record, 5 bytes.
    doc-ref: spec/kahadb-journal.md KDB-009
    seq:
      - id: len_record
        -orig-id: size
        -requirement:
          - KDB-009
          - KDB-037
        type: s4
        doc: Length of the record in bytes, including this header.
      - id: type
        -requirement:
          - KDB-010
          - KDB-038
        type: u1
        enum: record_type
        doc: Type of the record, always 1 in records that a broker stores.
  record:
    -labels:
      - command
      - is_truncated
    doc: One record.
    doc-ref: spec/kahadb-journal.md KDB-009
    params:
      - id: ofs_record
        type: s8
        doc: Offset of the header in the file.
      - id: ofs_end
        type: s8
        doc: Offset of the end of the batch in the file.
    seq:
      - id: header
        type: record_header
      - id: payload
        -requirement:
          - KDB-009
          - KDB-016
          - KDB-037
        # Never negative: a record is parsed only if its header ends at or before ofs_end.
        size: |
          header.len_record < 5 ? 0.as<s8> :
            (is_truncated ? len_left_in_batch.as<s8> : (header.len_record - 5).as<s8>)
        doc: |
          Payload that the application appended. It is shorter than the header
          states if the batch ends too early.
    instances:
      len_left_in_batch:
        value: ofs_end.as<s8> - ofs_record.as<s8> - 5
        doc: Number of bytes from the end of the header to the end of the batch.
      is_truncated:
        -requirement: KDB-037
        value: header.len_record.as<s8> - 5 > len_left_in_batch.as<s8>
        doc: True if `payload` was clamped.
      command:
        -requirement: KDB-016
        value: payload[0] & 0xff
        enum: kaha_entry_type
        if: payload.length > 0
        doc: |
          In the journal of a broker, the first byte of the payload: the number
          of a command. The protobuf body of the command follows this byte.
        doc-ref: spec/kahadb-journal.md KDB-016
  tail:
    doc: All bytes after the batches, with or without an EOF record at the start.
    doc-ref: spec/kahadb-journal.md KDB-011 to KDB-015
    seq:
      - id: eof_record
        -orig-id: EOF_RECORD
        -requirement:
          - KDB-011
          - KDB-039
        size: 5
        if: has_eof_record
        doc: EOF record "-qMa4", which the next batch overwrites.
        doc-ref: spec/kahadb-journal.md KDB-011
      - id: rest
        -requirement:
          - KDB-012
          - KDB-013
          - KDB-015
        size-eos: true
        doc: |
          Preallocated space: zeros and more EOF records. Bytes of older
          batches may follow an EOF record. In a damaged file, these bytes may
          be anything, even whole batches.
        doc-ref: spec/kahadb-journal.md KDB-013, KDB-015
    instances:
      first_bytes:
        pos: 0
        size: '_io.size < 5 ? _io.size.as<s8> : 5.as<s8>'
        doc: The first five bytes after the batches, where the EOF record is expected.
      has_eof_record:
        value: first_bytes == [0x2d, 0x71, 0x4d, 0x61, 0x34]
        doc: True if an EOF record follows the batches directly.
enums:
  record_type:
    0:
      id: not_set
      -orig-id: NOT_SET
      doc: A type that KahaDB never writes.
    1:
      id: user
      -orig-id: USER_RECORD_TYPE
      doc: Record with a payload that the application appended.
    2:
      id: batch_control
      -orig-id: BATCH_CONTROL_RECORD_TYPE
      doc: A control record.
  kaha_entry_type:
    0: kaha_trace_command
    1: kaha_add_message_command
    2: kaha_remove_message_command
    3: kaha_prepare_command
    4: kaha_commit_command
    5: kaha_rollback_command
    6: kaha_remove_destination_command
    7: kaha_subscription_command
    8: kaha_producer_audit_command
    9: kaha_ack_message_file_map_command
    10: kaha_update_message_command
    11: kaha_add_scheduled_job_command
    12: kaha_reschedule_job_command
    13: kaha_remove_scheduled_job_command
    14: kaha_remove_scheduled_jobs_command
    15: kaha_destroy_scheduler_command
    16: kaha_rewritten_data_file_command
