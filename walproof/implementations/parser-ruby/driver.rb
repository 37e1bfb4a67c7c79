# Driver: lists the fields that the package of Ruby parsers finds (walproof/parsers/README.md).
require 'digest'
require 'json'

BUILD = ARGV[0]
$LOAD_PATH.unshift File.join(BUILD, 'package', 'lib')
Dir[File.join(BUILD, 'package', 'lib', '*.rb')].sort.each { |file| require file }
MODELS = JSON.parse(File.read(File.join(BUILD, 'models.json')))

# The class of a type such as LeveldbLog.Record.
def type_of(name)
  name.split('.').inject(Object) { |place, step| place.const_get(step) }
end

# The numbers of an enum's symbols by the grammar that has them; symbols begin with the name of their enum.
NUMBERS = Hash.new { |all, top| all[top] = {} }

def gather(place, numbers)
  place.constants(false).map { |name| place.const_get(name) }.each do |one|
    numbers.merge!(one) if one.is_a?(Hash) && one.keys.all?(Symbol)
    gather(one, numbers) if one.is_a?(Class)
  end
end

MODELS.each_value do |model|
  model['types'].each_key do |name|
    top = name.split('.').first
    gather(type_of(top), NUMBERS[top]) if NUMBERS[top].empty?
  end
end
FIELDS = MODELS.values.flat_map { |model| model['types'].to_a }.to_h { |name, fields| [type_of(name), fields] }

def shown(offset)
  offset.nil? ? '-' : offset
end

def plus(offset, size)
  offset && offset + size
end

def bytes_line(bytes)
  return "b #{bytes.bytesize} #{bytes.unpack1('H*')}" if bytes.bytesize <= 32

  "b #{bytes.bytesize} sha256:#{Digest::SHA256.hexdigest(bytes)[0, 16]}"
end

def number_of(symbol)
  found = NUMBERS.values.filter_map { |numbers| numbers[symbol] }.uniq
  raise "#{symbol}: #{found.length} numbers" unless found.length == 1

  found.first
end

def scalar(value)
  case value
  when String then bytes_line(value)
  when Float then "f #{[value].pack('G').unpack1('H*')}"
  when true then 'i 1'
  when false then 'i 0'
  when Symbol then "i #{number_of(value)}"
  else "i #{[value & 0xffff_ffff_ffff_ffff].pack('Q').unpack1('q')}"
  end
end

# Lists the fields of one log.
class Walk
  attr_reader :lines

  def initialize
    @lines = []
  end

  def object(object, name, offset)
    FIELDS.fetch(object.class).each do |field|
      inner = name.empty? ? field['id'] : "#{name}.#{field['id']}"
      if field['instance']
        instance(object, field, inner)
      else
        offset = field(object, object.public_send(field['id']), field, inner, offset)
      end
    end
    offset
  end

  private

  def field(parent, value, field, name, offset)
    return value(parent, value, field, name, offset) unless field['array'] && !value.nil?

    @lines << "#{name} #{shown(offset)} [ #{value.length}"
    value.each_with_index do |element, number|
      offset = value(parent, element, field, "#{name}[#{number}]", offset)
    end
    offset
  end

  def value(parent, value, field, name, offset)
    if value.nil?
      @lines << "#{name} #{shown(offset)} -"
      return offset
    end
    return inside(parent, value, name, offset) if value.is_a?(Kaitai::Struct::Struct)

    @lines << "#{name} #{shown(offset)} #{scalar(value)}"
    return plus(offset, field['width']) if field['width']

    by_length = field['by_length'] || (field['kind'] == 'switch' && value.is_a?(String))
    by_length ? plus(offset, value.bytesize) : nil
  end

  def inside(parent, value, name, offset)
    size = value._io.size
    @lines << "#{name} #{shown(offset)} { #{size}"
    after = object(value, name, offset)
    value._io.equal?(parent._io) ? after : plus(offset, size)
  end

  def instance(object, field, name)
    value = object.public_send(field['id'])
  rescue StandardError
    @lines << "#{name} - !"
  else
    field(object, value, field, name, nil)
  end
end

def listing(grammar, bytes)
  log = type_of(MODELS[grammar]['top']).new(Kaitai::Struct::Stream.new(bytes))
rescue StandardError
  ['!']
else
  walk = Walk.new
  walk.object(log, '', 0)
  walk.lines
end

def reply(request)
  if request['cmd'] == 'hello'
    return { name: 'parser-ruby', version: Kaitai::Struct::VERSION, language: 'Ruby', formats: ['*'],
             profiles: ['structure'], reports: %w[structure absent unknown-enums],
             homepage: 'https://kaitai.io', issues: 'https://github.com/kaitai-io/kaitai_struct/issues' }
  end
  seq, grammar = request.values_at('seq', 'grammar')
  return { seq: seq, skipped: 'lists fields only' } unless request['profile'] == 'structure'
  return { seq: seq, skipped: "no parser of #{grammar}" } unless MODELS.key?(grammar)

  lines = listing(grammar, File.binread(request['path']))
  structure = { fields: lines.length, sha256: Digest::SHA256.hexdigest(lines.map { |line| "#{line}\n" }.join) }
  structure[:listing] = lines if request['listing']
  { seq: seq, structure: structure }
end

$stdout.sync = true
$stdin.each_line do |line|
  request = JSON.parse(line)
  break if request['cmd'] == 'bye'

  puts JSON.generate(reply(request))
end
