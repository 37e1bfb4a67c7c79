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
  The two small files beside the segments of a journal: `<name>.meta` with the
  term, the flushed index and the vote, and `<name>.conf` with the members of
  the cluster. Each is one version byte and one SBE message, without a
  checksum. A file that was created and never written is 32 zeros. Like the
  grammar of the segments, this one accepts every input and judges nothing.
doc-ref:
  - spec/zeebe-journal.md ZBJ-059
  - https://github.com/camunda/camunda/blob/main/zeebe/atomix/cluster/src/main/resources/raft-entry-schema.xml
seq:
  - id: version
    -requirement: ZBJ-059
    type: u1
    if: _io.size >= 1
    doc: 1; 0 in a file that was never written.
  - id: header
    -requirement: ZBJ-059
    type: sbe::message_header
    if: _io.size >= 9
    doc: Schema 8, template 6 (meta) or 5 (configuration).
  - id: meta
    -orig-id: Meta
    -requirement: ZBJ-059
    type: meta_message
    if: is_meta
    doc: What a node must remember.
  - id: configuration
    -orig-id: Configuration
    type: configuration_message
    if: is_configuration
    doc: The members of the cluster.
  - id: padding
    size-eos: true
    doc: Zeros, or the rest of a longer message that was there before.
instances:
  is_meta:
    value: '_io.size >= 29 ? (header.template_id == 6 and header.schema_id == 8) : false'
    doc: True if the message is a Meta.
  is_configuration:
    value: '_io.size >= 36 ? (header.template_id == 5 and header.schema_id == 8) : false'
    doc: True if the message is a Configuration.
  has_commit_index:
    value: 'is_meta ? header.len_block >= 24 and _io.size.as<s8> >= 33 : false'
    doc: True if a Meta has the index of the last committed entry.
types:
  meta_message:
    -orig-id: Meta
    doc: Term, flushed index and vote.
    doc-ref: spec/zeebe-journal.md ZBJ-059
    seq:
      - id: term
        -requirement: ZBJ-059
        type: u8
        doc: The term of the node.
      - id: last_flushed_index
        -orig-id: lastFlushedIndex
        -requirement: ZBJ-059
        type: u8
        doc: The journal is on disk up to this index; ff x 8 is null.
      - id: commit_index
        -orig-id: commitIndex
        -requirement: ZBJ-059
        type: u8
        if: _root.has_commit_index
        doc: Only from schema version 4 on.
      - id: len_voted_for
        -requirement: ZBJ-059
        type: u4
        if: has_vote
        doc: Length of the name.
      - id: voted_for
        -orig-id: votedFor
        -requirement: ZBJ-059
        size: 'len_voted_for.as<s8> > (_io.size - _io.pos).as<s8> ? (_io.size - _io.pos).as<s8> : len_voted_for.as<s8>'
        if: has_vote
        doc: The member that the node voted for, UTF-8.
    instances:
      has_vote:
        value: '_io.size.as<s8> >= (_root.has_commit_index ? 37.as<s8> : 29.as<s8>).as<s8>'
        doc: True if the file has room for the vote.
  configuration_message:
    -orig-id: Configuration
    doc: The members of the cluster, as the last configuration entry has them.
    seq:
      - id: index
        type: u8
        doc: Index of the entry.
      - id: term
        type: u8
        doc: Term of the entry.
      - id: timestamp
        type: u8
        doc: Milliseconds since 1970.
      - id: force
        type: u1
        if: _root.header.version >= 3 and _root.header.len_block >= 25
        doc: 1 if the configuration was forced; from schema version 3 on.
      - id: new_members
        -orig-id: newMembers
        type: zeebe_segment::member_group
        if: _io.size - _io.pos >= 3
        doc: The members.
      - id: old_members
        -orig-id: oldMembers
        type: zeebe_segment::member_group
        if: _root.header.version >= 2 and _io.size - _io.pos >= 3
        doc: The previous members, during joint consensus; from schema version 2 on.
