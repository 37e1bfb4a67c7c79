// A Walproof adapter to start from: one file, Java 17, nothing to install or build. Fill in read, name it in HELLO.
//
//   walproof smoke --cmd 'java conformance/skeletons/java/Adapter.java'   # speaks the protocol?
//   walproof check --cmd 'java conformance/skeletons/java/Adapter.java'   # all vectors
//
// By hand: java Adapter.java read leveldb-log FILE
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.*;

public class Adapter {
  static final String HELLO = """
      {"name":"my-reader","version":"0.0.0","language":"Java","formats":["leveldb-log"],\
      "profiles":["recover"],"reports":["records","signals"]}""";

  // ====> YOUR READER GOES HERE. Return, as JSON, what it released and whatever it said of damage, for example
  // {"answer":{"records":[{"payload":"616c706861"}],"signals":["bad checksum"]}}; HexFormat.of().formatHex(bytes) makes
  // a payload. An exception that your reader throws for damage is a signal: catch it here and keep the records before
  // it (but no Error: a crash is a result too). context, a JSON object, is what the vector says besides the file.
  static String read(String format, Path path, String profile, String context) {
    return "{\"skipped\":\"read() is not written yet\"}";
  }

  // ====> YOUR WRITER GOES HERE. For cmd "write" make a new log at path, for "append" go on with the one that is there.
  // Return {"done":true} when all records are in it, or {"refused":"why"} and leave what is there as it was. The line is
  // the whole request: its records have their payload in hex. Add the profiles "write" and "append" to HELLO.
  static String write(String cmd, String format, Path path, String line) {
    return "{\"skipped\":\"write() is not written yet\"}";
  }

  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    if (args.length == 3 && args[0].equals("read")) {
      out.println(read(args[1], Path.of(args[2]), "recover", "{}").replaceFirst("(?s)^\\{\"answer\":(.*)}$", "$1"));
      return;
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null && !get(line, "cmd").equals("bye"); line = in.readLine()) {
      String cmd = get(line, "cmd"), format = get(line, "format");
      Path path = Path.of(get(line, "path"));
      String reply = cmd.equals("hello") ? HELLO
          : cmd.equals("read") ? read(format, path, get(line, "profile"), get(line, "context"))
          : write(cmd, format, path, line);
      String seq = "{\"seq\":" + get(line, "seq") + ",";
      out.println(cmd.equals("hello") ? reply : seq + reply.substring(1)); // println flushes
    }
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
