# SPDX-License-Identifier: CC0-1.0
meta:
  id: zeebe_meta
  title: Meta and configuration file of a Zeebe raft partition
  application: Zeebe
  file-extension:
    - meta
    - conf
  tags:
    - database
  license: CC0-1.0
  ks-version: 0.11
  imports:
    - sbe
    - zeebe_segment
  endian: le
doc: |
  The two small files in the folder of a journal: `<name>.meta` with the term,
  the flushed index and the vote, and `<name>.conf` with the members of the
  cluster. Each file has one version byte and one SBE message, without a
  checksum. A new file to which no message was written has 32 zero bytes. Like
  the grammar of the segments, this grammar accepts every input and does not
  check any values.
doc-ref:
  - spec/zeebe-journal.md ZBJ-059
  - https://github.com/camunda/camunda/blob/main/zeebe/atomix/cluster/src/main/resources/raft-entry-schema.xml
seq:
  - id: version
    -requirement: ZBJ-059
    type: u1
    if: _io.size >= 1
    doc: 'Version of the file: 1, or 0 if no message was written yet.'
  - id: header
    -requirement: ZBJ-059
    type: sbe::message_header
    if: _io.size >= 9
    doc: Message header with schema 8 and template 6 (Meta) or 5 (Configuration).
  - id: meta
    -orig-id: Meta
    -requirement: ZBJ-059
    type: meta_message
    if: is_meta
    doc: Term, flushed index and vote of the node, present in a `.meta` file.
  - id: configuration
    -orig-id: Configuration
    type: configuration_message
    if: is_configuration
    doc: Members of the cluster, present in a `.conf` file.
  - id: padding
    size-eos: true
    doc: Zeros, or the end of an earlier, longer message.
instances:
  is_meta:
    value: '_io.size >= 29 ? (header.template_id == 6 and header.schema_id == 8) : false'
    doc: True if the message is a Meta message.
  is_configuration:
    value: '_io.size >= 36 ? (header.template_id == 5 and header.schema_id == 8) : false'
    doc: True if the message is a Configuration message.
  has_commit_index:
    value: 'is_meta ? header.len_block >= 24 and _io.size.as<s8> >= 33 : false'
    doc: True if the Meta message contains the index of the last committed entry.
types:
  meta_message:
    -orig-id: Meta
    doc: Meta message with the term, the flushed index and the vote of the node.
    doc-ref: spec/zeebe-journal.md ZBJ-059
    seq:
      - id: term
        -requirement: ZBJ-059
        type: u8
        doc: Current term of the node.
      - id: last_flushed_index
        -orig-id: lastFlushedIndex
        -requirement: ZBJ-059
        type: u8
        doc: 'Flushed index: the journal is on disk up to this index. Eight bytes ff mean null.'
      - id: commit_index
        -orig-id: commitIndex
        -requirement: ZBJ-059
        type: u8
        if: _root.has_commit_index
        doc: Index of the last committed entry, present from schema version 4 on.
      - id: len_voted_for
        -requirement: ZBJ-059
        type: u4
        if: has_vote
        doc: Length of `voted_for` in bytes.
      - id: voted_for
        -orig-id: votedFor
        -requirement: ZBJ-059
        size: 'len_voted_for.as<s8> > (_io.size - _io.pos).as<s8> ? (_io.size - _io.pos).as<s8> : len_voted_for.as<s8>'
        if: has_vote
        doc: Id of the member that the node voted for, in UTF-8.
    instances:
      has_vote:
        value: '_io.size.as<s8> >= (_root.has_commit_index ? 37.as<s8> : 29.as<s8>).as<s8>'
        doc: True if the file is long enough for the length of the vote.
  configuration_message:
    -orig-id: Configuration
    doc: |
      Configuration message with the members of the cluster, copied from the
      last configuration entry.
    seq:
      - id: index
        type: u8
        doc: Index of the configuration entry.
      - id: term
        type: u8
        doc: Term of the configuration entry.
      - id: timestamp
        type: u8
        doc: Time of the configuration, in milliseconds since 1970.
      - id: force
        type: u1
        if: _root.header.version >= 3 and _root.header.len_block >= 25
        doc: 1 if the configuration was forced. Present from schema version 3 on.
      - id: new_members
        -orig-id: newMembers
        type: zeebe_segment::member_group
        if: _io.size - _io.pos >= 3
        doc: Members of the configuration.
      - id: old_members
        -orig-id: oldMembers
        type: zeebe_segment::member_group
        if: _root.header.version >= 2 and _io.size - _io.pos >= 3
        doc: |
          Members of the previous configuration during a joint consensus.
          Present from schema version 2 on.
