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
# `.as<s8>` below widens both sides alike: Go does not mix integer types. For
# the same reason, `?:` replaces an `and` that would have to be lazy.
doc: |
  One data file (`db-1.log`) of the journal of KahaDB, the message store of
  ActiveMQ. It is a sequence of batches without a file header. Each batch is a
  control record of 28 bytes and the records that it counts. After the last
  batch come an end-of-file record and whatever was preallocated.

  This grammar describes structure and judges nothing. It accepts every input:
  false sizes are clamped to the bytes that are there, and the checksum is
  exposed but not verified. The batches end where the next sixteen bytes are
  not those of a control record. Everything after that is `tail`; in a damaged
  file it may hold whole batches. See `doc-ref` for what a reader must return
  from a damaged file.
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
    doc: Batches, one directly after the other from the start of the file.
    doc-ref: spec/kahadb-journal.md KDB-001
  - id: tail
    size-eos: true
    type: tail
    doc: Everything after the last of these batches.
instances:
  header:
    pos: 0
    size: '_io.size < 16 ? _io.size.as<s8> : 16.as<s8>'
    doc: The first bytes of the file.
  starts_with_batch:
    value: |
      _io.size >= 28 ? header == [0, 0, 0, 28, 2, 87, 82, 73, 84, 69, 32, 66, 65, 84, 67, 72] : false
    doc: False if the file does not begin with a control record; there are no `batches` then.
types:
  batch:
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
        doc: The 28 bytes before the records.
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
          The records of the batch. After damage the sizes can no longer be
          trusted, and what is listed here may be garbage.
        doc-ref: spec/kahadb-journal.md KDB-009
      - id: leftover
        -requirement: KDB-037
        # Never negative: no record is read beyond ofs_end, which is after the control record
        size: ofs_end.as<s8> - _io.pos.as<s8>
        doc: |
          Bytes of the batch that are too few for a record. A sound batch has
          none.
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
        doc: True if the batch claims more bytes than the file has.
      len_available:
        value: |
          control.len_records < 0 ? 0.as<s8> :
            (is_truncated ? len_left_in_file.as<s8> : control.len_records.as<s8>)
        doc: What the batch claims, clamped to what is there.
      ofs_end:
        value: (ofs_batch.as<s8> + 28).as<s8> + len_available.as<s8>
        doc: Offset of the end of the batch.
      next_header:
        pos: ofs_end
        size: '_io.size.as<s8> - ofs_end.as<s8> < 28 ? 0.as<s8> : 16.as<s8>'
        doc: The first bytes after the batch, if a control record would fit.
      is_followed_by_batch:
        -requirement: KDB-031
        value: next_header == [0, 0, 0, 28, 2, 87, 82, 73, 84, 69, 32, 66, 65, 84, 67, 72]
        doc: True if another control record follows the batch directly.
  control_record:
    -orig-id: BATCH_CONTROL_RECORD
    doc: The start of a batch, 28 bytes. The first sixteen are always the same.
    doc-ref: spec/kahadb-journal.md KDB-005
    seq:
      - id: len_control
        -requirement:
          - KDB-005
          - KDB-034
        type: s4
        doc: Always 28, the length of this control record.
      - id: type
        -requirement:
          - KDB-005
          - KDB-034
        type: u1
        enum: record_type
        doc: Always 2.
      - id: magic
        -orig-id: BATCH_CONTROL_RECORD_MAGIC
        -requirement:
          - KDB-005
          - KDB-034
        size: 11
        doc: '"WRITE BATCH", with a space.'
      - id: len_records
        -orig-id: size
        -requirement:
          - KDB-006
          - KDB-033
          - KDB-035
        type: s4
        doc: Bytes of all records of the batch, without this control record.
        doc-ref: spec/kahadb-journal.md KDB-006
      - id: checksum
        -requirement:
          - KDB-007
          - KDB-008
          - KDB-036
        type: s8
        doc: |
          Adler-32 of all records of the batch, widened to 64 bits. Zero or a
          negative number means that there is none.
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
        doc: Length of the record, including this header.
      - id: type
        -requirement:
          - KDB-010
          - KDB-038
        type: u1
        enum: record_type
        doc: 1 for everything that a broker stores.
  record:
    doc: One record.
    doc-ref: spec/kahadb-journal.md KDB-009
    params:
      - id: ofs_record
        type: s8
        doc: Offset of the header in the file.
      - id: ofs_end
        type: s8
        doc: Where the batch ends.
    seq:
      - id: header
        type: record_header
      - id: payload
        -requirement:
          - KDB-009
          - KDB-016
          - KDB-037
        # Never negative: a record begins where ofs_end leaves room for its header
        size: |
          header.len_record < 5 ? 0.as<s8> :
            (is_truncated ? len_left_in_batch.as<s8> : (header.len_record - 5).as<s8>)
        doc: |
          What the writer was given. It has fewer bytes than the header says if
          the batch ends too early.
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
        doc: The command, in the journal of a broker. Its protobuf body follows.
        doc-ref: spec/kahadb-journal.md KDB-016
  tail:
    doc: What follows the batches.
    doc-ref: spec/kahadb-journal.md KDB-011 to KDB-015
    seq:
      - id: eof_record
        -orig-id: EOF_RECORD
        -requirement:
          - KDB-011
          - KDB-039
        size: 5
        if: has_eof_record
        doc: '"-qMa4", which the next batch overwrites.'
        doc-ref: spec/kahadb-journal.md KDB-011
      - id: rest
        -requirement:
          - KDB-012
          - KDB-013
          - KDB-015
        size-eos: true
        doc: |
          Preallocated space: zeros and more EOF records. Bytes of older
          batches may follow an EOF record. In a damaged file it may hold
          anything, even whole batches.
        doc-ref: spec/kahadb-journal.md KDB-013, KDB-015
    instances:
      first_bytes:
        pos: 0
        size: '_io.size < 5 ? _io.size.as<s8> : 5.as<s8>'
        doc: Where the EOF record should be.
      has_eof_record:
        value: first_bytes == [0x2d, 0x71, 0x4d, 0x61, 0x34]
        doc: True if an EOF record follows the batches directly.
enums:
  record_type:
    0:
      id: not_set
      -orig-id: NOT_SET
      doc: Never written.
    1:
      id: user
      -orig-id: USER_RECORD_TYPE
      doc: What the journal was given.
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
