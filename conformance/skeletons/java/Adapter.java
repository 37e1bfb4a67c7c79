// A template for a Walproof adapter: one file, Java 17, nothing to install or build. Fill in read and HELLO.
//
//   walproof check --smoke --cmd 'java Adapter.java'   # checks the protocol
//   walproof check --cmd 'java Adapter.java'   # all vectors
//
// By hand: java Adapter.java read leveldb-log FILE [strict]
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.regex.*;

public class Adapter {
  static final String HELLO = """
      {"name":"my-reader","version":"0.0.0","language":"Java","formats":["leveldb-log"],\
      "profiles":["recover"],"reports":["records","signals"]}""";

  // ====> YOUR READER GOES HERE. Return the reader's records and its messages about damage as JSON, for example
  // {"answer":{"records":[{"payload":"616c706861"}],"signals":["bad checksum"]}}; HexFormat.of().formatHex(bytes)
  // encodes a payload. If your reader throws an exception for damage, catch it here, return its message as a signal,
  // and return the records before the damage, too. Do not catch an Error: a crash is a result too. context is a JSON
  // object with information about the log that is not in the file.
  static String read(String format, Path path, String profile, String context) throws IOException {
    return "{\"skipped\":\"read() is not written yet\"}";
  }

  // ====> YOUR WRITER GOES HERE. For cmd "write", create a log at path; for "append", append to the log at path.
  // Return {"done":true} if the log contains all records; otherwise change nothing and return {"refused":"why"}.
  // line is the whole request, and each of its records has its payload in hexadecimal. Add the profiles "write" and
  // "append" to HELLO.
  static String write(String cmd, String format, Path path, String line) throws IOException {
    return "{\"skipped\":\"write() is not written yet\"}";
  }

  // ---- The protocol. Do not change anything below. ----

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

  // Performs a read, write or append request.
  static String answer(String cmd, String format, Path path, String profile, String context, String line)
      throws IOException {
    if (!cmd.equals("write") && Files.notExists(path)) return "{\"skipped\":\"nothing is at this path\"}";
    return cmd.equals("read") ? read(format, path, profile, context) : write(cmd, format, path, line);
  }

  // Returns the value of a key: the text of a string, or the JSON of any other value. Only flat messages are supported.
  static String get(String line, String key) {
    String string = "\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"", other = "\\{[^}]*}|[^\"{,}\\s]+";
    Matcher m = Pattern.compile("\"" + key + "\"\\s*:\\s*(?:" + string + "|(" + other + "))").matcher(line);
    if (!m.find()) return "";
    return m.group(1) == null ? m.group(2) : Pattern.compile("\\\\(?:u(....)|(.))").matcher(m.group(1)).replaceAll(
        e -> Matcher.quoteReplacement(e.group(2) != null ? e.group(2) : "" + (char) Integer.parseInt(e.group(1), 16)));
  }
}
