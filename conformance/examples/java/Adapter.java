// A complete Walproof adapter: skeletons/java/Adapter.java with a reader and a writer of LevelDB logs in it.
//
//   walproof check --cmd 'java conformance/examples/java/Adapter.java' --format leveldb-log
//
// By hand: java Adapter.java read leveldb-log FILE [strict]
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;
import java.util.zip.CRC32C;

public class Adapter {
  static final String HELLO = """
      {"name":"example-java","version":"1.0.0","language":"Java","formats":["leveldb-log"],\
      "profiles":["recover","strict","write","append"],\
      "reports":["records","at","size","verdict","reason","end","lost"]}""";

  static String read(String format, Path path, String profile, String context) throws IOException {
    return "{\"answer\":" + new Reader(Files.readAllBytes(path)).answer(profile) + "}";
  }

  // Makes a log, or goes on with the one that is there where its end is.
  static String write(String cmd, String format, Path path, String line) throws IOException {
    int position = 0;
    StandardOpenOption how = StandardOpenOption.CREATE_NEW;
    if (cmd.equals("append")) {
      Answer before = new Reader(Files.readAllBytes(path)).answer("recover");
      if (before.end == null) return "{\"refused\":\"start a new file: " + before.reason + "\"}";
      if (!line.contains("\"payload\"")) return "{\"done\":true}"; // no record changes nothing
      position = before.end;
      try (RandomAccessFile log = new RandomAccessFile(path.toFile(), "rw")) {
        log.setLength(position);
      }
      how = StandardOpenOption.APPEND;
    }
    try (OutputStream log = Files.newOutputStream(path, StandardOpenOption.WRITE, how)) {
      Matcher records = Pattern.compile("\"payload\"\\s*:\\s*\"([0-9a-f]*+)\"").matcher(line);
      while (records.find()) {
        byte[] framed = framed(HexFormat.of().parseHex(records.group(1)), position);
        log.write(framed);
        position += framed.length;
      }
    }
    return "{\"done\":true}";
  }

  static final int BLOCK = 32768, HEADER = 7, FULL = 1, FIRST = 2, MIDDLE = 3, LAST = 4;

  record Whole(int at, int size, byte[] payload) {
    @Override
    public String toString() {
      String hex = HexFormat.of().formatHex(payload);
      return "{\"at\":" + at + ",\"size\":" + size + ",\"payload\":\"" + hex + "\"}";
    }
  }

  record Lost(int from, int to, String reason) {
    @Override
    public String toString() {
      return "{\"from\":" + from + ",\"to\":" + to + ",\"reason\":\"" + reason + "\"}";
    }
  }

  record Answer(String verdict, String reason, List<Whole> records, List<Lost> lost, Integer end) {
    @Override
    public String toString() { // as JSON: lists of Java look like arrays
      String code = reason == null ? "null" : "\"" + reason + "\"";
      return "{\"verdict\":\"" + verdict + "\",\"reason\":" + code + ",\"records\":" + records + ",\"lost\":" + lost
          + ",\"end\":" + end + "}";
    }
  }

  // A record whose FIRST was read and whose LAST was not.
  record Open(int at, int end, ByteArrayOutputStream data) {}

  // Reads the bytes of a log as spec/leveldb-log.md says.
  static class Reader {
    final ByteBuffer log;
    final int size;
    final List<Whole> records = new ArrayList<>();
    final List<Lost> lost = new ArrayList<>();
    Open open;
    Integer zerosFrom;
    Lost torn;
    Lost damage; // the first, as far as the end of the log
    int before; // the number of records before it
    boolean inStep = true;

    Reader(byte[] bytes) {
      log = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      size = bytes.length;
    }

    // All that is whole or, with "strict", what is before the first damage.
    Answer answer(String profile) {
      if (foreignDialect(log)) return new Answer("refused", "foreign-dialect", records, lost, null);
      for (int base = 0; base < size; base += BLOCK) block(base);
      if (open != null) tear(open.at, open.end, "torn-record");
      int end = zerosFrom == null ? size : zerosFrom;
      if (torn != null) {
        end = torn.from;
        lost.add(torn);
      }
      if (damage == null && torn == null) return new Answer("intact", null, records, lost, end);
      if (damage == null) return new Answer("torn", torn.reason, records, lost, end);
      if (profile.equals("strict"))
        return new Answer("damaged", damage.reason, records.subList(0, before), List.of(damage), null);
      lost.sort(Comparator.comparingInt(Lost::from));
      return new Answer("damaged", damage.reason, records, lost, inStep ? end : null);
    }

    // The physical records of one block.
    void block(int base) {
      int end = Math.min(base + BLOCK, size);
      if (zerosFrom != null && !isZero(base, end)) {
        lose(zerosFrom, base, "zero-gap");
        loseOpen();
        zerosFrom = null;
      }
      for (int at = base; at < end && base + BLOCK - at >= HEADER; ) { // what is left then is the trailer
        boolean isShort = end - at < HEADER;
        int length = isShort ? 0 : Short.toUnsignedInt(log.getShort(at + 4)), type = isShort ? 0 : log.get(at + 6);
        int after = at + HEADER + length;
        if (length == 0 && type == 0 && isZero(at, end)) {
          if (zerosFrom == null) zerosFrom = at;
          return;
        }
        if (isShort) { tear(at, end, "torn-header"); return; }
        if (after > base + BLOCK) { loseRest(at, end, "bad-length"); return; }
        if (after > end) { tear(at, end, "torn-payload"); return; }
        if (length == 0 && type == 0) { loseRest(at, end, "zero-header"); return; }
        if (maskedCrc(log.array(), at + 6, after) != log.getInt(at)) { loseRest(at, end, "checksum-mismatch"); return; }
        fragment(type, at, after);
        at = after;
      }
    }

    // A physical record whose checksum holds.
    void fragment(int type, int at, int end) {
      if (type == FULL || type == FIRST) {
        if (open != null && open.data.size() > 0) loseOpen();
        open = new Open(at, end, new ByteArrayOutputStream());
      } else if (type != MIDDLE && type != LAST) {
        lose(at, end, "unknown-type");
        loseOpen();
        return;
      } else if (open == null) {
        lose(at, end, "orphan-fragment");
        return;
      }
      open = new Open(open.at, end, open.data);
      open.data.write(log.array(), at + HEADER, end - at - HEADER);
      if (type == FULL || type == LAST) {
        records.add(new Whole(open.at, end - open.at, open.data.toByteArray()));
        open = null;
      }
    }

    void lose(int from, int to, String reason) {
      if (damage == null) {
        damage = new Lost(open == null ? from : Math.min(from, open.at), size, reason);
        before = records.size();
      }
      lost.add(new Lost(from, to, reason));
    }

    void loseOpen() {
      if (open != null) lose(open.at, open.end, "incomplete-record");
      open = null;
    }

    // A length that cannot be trusted: only the next block gets a reader back in step.
    void loseRest(int at, int end, String reason) {
      lose(at, end, reason);
      loseOpen();
      inStep = end % BLOCK == 0;
    }

    // The log ends inside a write; that of an open record began at its FIRST.
    void tear(int at, int end, String reason) {
      torn = new Lost(open == null ? at : open.at, end, reason);
      open = null;
    }

    boolean isZero(int from, int to) {
      return IntStream.range(from, to).allMatch(at -> log.get(at) == 0);
    }
  }

  // Whether the first physical record is one of RocksDB's or Pebble's own.
  static boolean foreignDialect(ByteBuffer log) {
    if (log.limit() < HEADER) return false;
    int length = Short.toUnsignedInt(log.getShort(4)), type = Byte.toUnsignedInt(log.get(6));
    List<Integer> sizes = new ArrayList<>(); // that the header has in the dialects of this type
    if (List.of(5, 6, 7, 8, 11, 131).contains(type)) sizes.add(11);
    if (type >= 9 && type <= 12) sizes.add(19);
    if (type == 9 && length == 4 || type == 130 && length == 24) sizes.add(HEADER);
    if (type == 10 && length > 0 && length % 6 == 0) sizes.add(HEADER);
    return sizes.stream().map(size -> size + length).anyMatch(
        end -> end <= Math.min(BLOCK, log.limit()) && maskedCrc(log.array(), 6, end) == log.getInt(0));
  }

  // A record as a writer appends it to a log of position bytes.
  static byte[] framed(byte[] payload, int position) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    boolean begin = true, last = false;
    for (int from = 0; !last; begin = false) {
      int left = BLOCK - (position + out.size()) % BLOCK;
      if (left < HEADER) {
        out.writeBytes(new byte[left]);
        left = BLOCK;
      }
      int length = Math.min(payload.length - from, left - HEADER);
      last = from + length == payload.length;
      int type = begin ? (last ? FULL : FIRST) : (last ? LAST : MIDDLE);
      ByteBuffer physical = ByteBuffer.allocate(HEADER + length).order(ByteOrder.LITTLE_ENDIAN);
      physical.putShort(4, (short) length).put(6, (byte) type).put(HEADER, payload, from, length);
      physical.putInt(0, maskedCrc(physical.array(), 6, HEADER + length));
      out.writeBytes(physical.array());
      from += length;
    }
    return out.toByteArray();
  }

  // CRC-32C of [from, to), masked (LDB-007).
  static int maskedCrc(byte[] bytes, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, to - from);
    return Integer.rotateRight((int) crc.getValue(), 15) + 0xa282ead8;
  }

  // ---- The protocol: nothing to fill in from here on. ----

  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    if (args.length > 2 && args[0].equals("read")) {
      String reply = answer("read", args[1], Path.of(args[2]), args.length > 3 ? args[3] : "recover", "{}", "");
      out.println(reply.replaceFirst("(?s)^\\{\"answer\":(.*)}$", "$1"));
      return;
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null && !get(line, "cmd").equals("bye"); line = in.readLine()) {
      String cmd = get(line, "cmd"), format = get(line, "format");
      Path path = Path.of(get(line, "path"));
      String reply = cmd.equals("hello") ? HELLO
          : "{\"seq\":" + get(line, "seq") + ","
              + answer(cmd, format, path, get(line, "profile"), get(line, "context"), line).substring(1);
      out.println(reply); // println flushes
    }
  }

  // Carries out a request that names a log.
  static String answer(String cmd, String format, Path path, String profile, String context, String line)
      throws IOException {
    if (!cmd.equals("write") && Files.notExists(path)) return "{\"skipped\":\"nothing is at this path\"}";
    return cmd.equals("read") ? read(format, path, profile, context) : write(cmd, format, path, line);
  }

  // Text of a string, JSON of any other value. Good for these flat messages only: you may have a JSON library at hand.
  static String get(String line, String key) {
    String string = "\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"", other = "\\{[^}]*}|[^\"{,}\\s]+";
    Matcher m = Pattern.compile("\"" + key + "\"\\s*:\\s*(?:" + string + "|(" + other + "))").matcher(line);
    if (!m.find()) return "";
    return m.group(1) == null ? m.group(2) : Pattern.compile("\\\\(?:u(....)|(.))").matcher(m.group(1)).replaceAll(
        e -> Matcher.quoteReplacement(e.group(2) != null ? e.group(2) : "" + (char) Integer.parseInt(e.group(1), 16)));
  }
}
