# frozen_string_literal: true

# A Walproof adapter to start from: one file, standard library only. Fill in read, name it in HELLO.
#
#   walproof check --smoke --cmd 'ruby conformance/skeletons/ruby/adapter.rb'   # speaks the protocol?
#   walproof check --cmd 'ruby conformance/skeletons/ruby/adapter.rb'   # all vectors
#
# By hand: ruby adapter.rb read leveldb-log FILE [strict]
require 'json'

HELLO = {
  name: 'my-reader',
  version: '0.0.0',
  language: 'Ruby',
  formats: ['leveldb-log'],
  profiles: ['recover'],
  reports: %w[records signals]
}.freeze

# ====> YOUR READER GOES HERE. Return what it released and whatever it said of damage, for example
# { answer: { records: [{ payload: bytes.unpack1('H*') }], signals: [error.message] } }
# A StandardError that your reader raises for damage is a signal: rescue it here and keep the records
# before it. What ends the process is a result too: rescue nothing else. context, a hash, is what the
# vector says about the log besides the file.
def read(format, path, profile, context)
  { skipped: 'read() is not written yet' }
end

# ====> YOUR WRITER GOES HERE. For cmd "write" make a new log at path, for "append" go on with the one
# that is there. Return { done: true } when all records are in it, or { refused: 'why' } and leave what
# is there as it was. A record, a hash, has its 'payload' in hex and what else the format needs. Add the
# profiles write and append to HELLO.
def write(cmd, format, path, records, context)
  { skipped: 'write() is not written yet' }
end

# ---- The protocol: nothing to fill in from here on. ----

# Carries out a request that names a log.
def answer(request)
  cmd, format, path, context = request.values_at('cmd', 'format', 'path', 'context')
  return { skipped: 'nothing is at this path' } unless cmd == 'write' || File.exist?(path)
  return read(format, path, request['profile'], context) if cmd == 'read'

  write(cmd, format, path, request['records'], context)
end

if ARGV[0] == 'read'
  request = %w[cmd format path profile].zip([*ARGV, 'recover']).to_h
  result = answer(request.merge('context' => {}))
  puts JSON.generate(result.fetch(:answer, result))
  exit
end

$stdout.sync = true # the harness waits for each reply
$stdin.set_encoding('UTF-8')
$stdin.each_line do |line|
  request = JSON.parse(line)
  break if request['cmd'] == 'bye'

  reply = request['cmd'] == 'hello' ? HELLO : { seq: request['seq'], **answer(request) }
  puts JSON.generate(reply)
end
