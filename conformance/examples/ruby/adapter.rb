# frozen_string_literal: true

# A complete Walproof adapter: skeletons/ruby/adapter.rb with a reader and a writer of LevelDB logs in it.
#
#   walproof check --cmd 'ruby conformance/examples/ruby/adapter.rb' --format leveldb-log
#
# By hand: ruby adapter.rb read leveldb-log FILE [strict]
require 'json'

HELLO = {
  name: 'example-ruby',
  version: '1.0.0',
  language: 'Ruby',
  formats: ['leveldb-log'],
  profiles: %w[recover strict write append],
  reports: %w[records at size verdict reason end lost]
}.freeze

def read(_format, path, profile, _context)
  { answer: Reader.new(File.binread(path)).answer(profile) }
end

# Makes a log, or goes on with the one that is there where its end is.
def write(cmd, _format, path, records, _context)
  position = 0
  if cmd == 'append'
    before = Reader.new(File.binread(path)).answer('recover')
    return { refused: "start a new file: #{before[:reason]}" } unless before[:end]
    return { done: true } if records.empty? # which changes nothing

    position = before[:end]
    File.truncate(path, position)
  end
  File.open(path, cmd == 'write' ? 'wbx' : 'ab') do |log|
    records.each { |record| position += log.write(framed([record['payload']].pack('H*'), position)) }
  end
  { done: true }
end

BLOCK = 32_768
HEADER = 7
FULL = 1
FIRST = 2
MIDDLE = 3
LAST = 4

# A record whose FIRST was read and whose LAST was not.
Fragments = Struct.new(:at, :end, :data)

# Reads the bytes of a log as spec/leveldb-log.md says.
class Reader
  def initialize(log)
    @log = log
    @records = []
    @lost = []
    @in_step = true
  end

  # All that is whole or, with "strict", what is before the first damage.
  def answer(profile)
    found = { records: @records, lost: @lost, end: nil }
    return { verdict: 'refused', reason: 'foreign-dialect', **found } if foreign_dialect?(@log)

    (0...@log.bytesize).step(BLOCK) { |base| block(base) }
    tear(@open.at, @open.end, 'torn-record') if @open
    @lost << @torn if @torn
    found[:end] = @torn ? @torn[:from] : @zeros_from || @log.bytesize
    return { verdict: @torn ? 'torn' : 'intact', reason: @torn && @torn[:reason], **found } unless @damage

    found[:end] = nil unless @in_step
    found[:lost] = @lost.sort_by.with_index { |lost, number| [lost[:from], number] }
    found = { records: @records.first(@before), lost: [@damage], end: nil } if profile == 'strict'
    { verdict: 'damaged', reason: @damage[:reason], **found }
  end

  private

  # The physical records of one block.
  def block(base)
    last = [base + BLOCK, @log.bytesize].min
    if @zeros_from && !zero?(base, last)
      lose(@zeros_from, base, 'zero-gap')
      lose_open
      @zeros_from = nil
    end
    at = base
    while at < last && base + BLOCK - at >= HEADER # what is left after the loop is the trailer
      short = last - at < HEADER
      checksum, length, type = short ? [0, 0, 0] : @log.byteslice(at, HEADER).unpack('VvC')
      after = at + HEADER + length
      return @zeros_from ||= at if length.zero? && type.zero? && zero?(at, last)
      return tear(at, last, 'torn-header') if short
      return lose_rest(at, last, 'bad-length') if after > base + BLOCK
      return tear(at, last, 'torn-payload') if after > last
      return lose_rest(at, last, 'zero-header') if length.zero? && type.zero?
      return lose_rest(at, last, 'checksum-mismatch') if masked_crc(@log.byteslice(at + 6, length + 1)) != checksum

      fragment(type, @log.byteslice(at + HEADER, length), at, after)
      at = after
    end
  end

  # A physical record whose checksum holds.
  def fragment(type, data, at, after)
    case type
    when FULL, FIRST
      lose_open if @open && !@open.data.empty?
      @open = Fragments.new(at, after, data)
    when MIDDLE, LAST
      return lose(at, after, 'orphan-fragment') unless @open

      @open.end = after
      @open.data << data
    else
      lose(at, after, 'unknown-type')
      return lose_open
    end
    return unless [FULL, LAST].include?(type)

    @records << { at: @open.at, size: after - @open.at, payload: @open.data.unpack1('H*') }
    @open = nil
  end

  def lose(from, to, reason)
    unless @damage
      @damage = { from: [from, @open&.at || from].min, to: @log.bytesize, reason: reason }
      @before = @records.size
    end
    @lost << { from: from, to: to, reason: reason }
  end

  def lose_open
    lose(@open.at, @open.end, 'incomplete-record') if @open
    @open = nil
  end

  # A length that cannot be trusted: only the next block gets a reader back in step.
  def lose_rest(at, last, reason)
    lose(at, last, reason)
    lose_open
    @in_step = (last % BLOCK).zero?
  end

  # The log ends inside a write; that of an open record began at its FIRST.
  def tear(at, last, reason)
    @torn = { from: @open ? @open.at : at, to: last, reason: reason }
    @open = nil
  end

  def zero?(from, to)
    @log.byteslice(from, to - from).count("\0") == to - from
  end
end

# Whether the first physical record is one of RocksDB's or Pebble's own.
def foreign_dialect?(log)
  return false if log.bytesize < HEADER

  checksum, length, type = log.unpack('VvC')
  sizes = [] # that the header has in the dialects of this type
  sizes << 11 if [5, 6, 7, 8, 11, 131].include?(type)
  sizes << 19 if (9..12).cover?(type)
  sizes << HEADER if [[9, 4], [130, 24]].include?([type, length])
  sizes << HEADER if type == 10 && length.positive? && (length % 6).zero?
  sizes.any? do |size|
    size + length <= [BLOCK, log.bytesize].min && masked_crc(log.byteslice(6, size + length - 6)) == checksum
  end
end

# A record as a writer appends it to a log of position bytes.
def framed(rest, position)
  out = ''.b
  start = true
  loop do
    left = BLOCK - (position + out.bytesize) % BLOCK
    if left < HEADER
      out << "\0" * left
      left = BLOCK
    end
    data = rest.byteslice(0, left - HEADER)
    rest = rest.byteslice(data.bytesize..)
    type = rest.empty? ? (start ? FULL : LAST) : (start ? FIRST : MIDDLE)
    covered = [type].pack('C') << data
    out << [masked_crc(covered), data.bytesize].pack('Vv') << covered
    start = false
    return out if rest.empty?
  end
end

TABLE = Array.new(256) do |byte|
  8.times.reduce(byte) { |crc, _| crc >> 1 ^ (crc.odd? ? 0x82F63B78 : 0) }
end

# CRC-32C, masked (LDB-007).
def masked_crc(bytes)
  crc = 0xFFFFFFFF
  bytes.each_byte { |byte| crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF] }
  crc ^= 0xFFFFFFFF
  ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
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
