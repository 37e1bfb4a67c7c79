package walproof.vectors;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A list of known failures, strict both ways: the form that walproof check writes. */
final class Known {
  private static final Pattern PIN = Pattern.compile("\\[[0-9a-f]{8}\\]$");
  private final Map<List<String>, JsonObject> failures = new LinkedHashMap<>();
  private JsonObject causes = new JsonObject();

  /** The list in a file; null, or one that is not there, is empty. IOException if it does not hold together. */
  Known(Path path) throws IOException {
    if (path == null || !Files.exists(path)) {
      return;
    }
    JsonObject body = JsonParser.parseString(Files.readString(path)).getAsJsonObject();
    causes = body.getAsJsonObject("causes");
    for (JsonElement one : body.getAsJsonArray("failures")) {
      JsonObject entry = one.getAsJsonObject();
      String cause = Comparing.text(entry, "cause");
      if (!causes.has(cause)) {
        String vector = Comparing.text(entry, "vector");
        throw new IOException(path + ": " + vector + ": the cause " + cause + " is not there");
      }
      failures.put(List.of(Comparing.text(entry, "vector"), Comparing.text(entry, "profile")), entry);
    }
  }

  /** What is listed of a format and is no vector any more. */
  List<String> strangers(String format, Collection<String> ids) {
    return failures.keySet().stream().map(key -> key.get(0))
        .filter(id -> id.startsWith(format + "/") && !ids.contains(id)).collect(Collectors.toList());
  }

  /** A result, held against the list: its class then, and what the list has to say. */
  String[] compared(String vector, String profile, String result, String difference) {
    JsonObject entry = failures.get(List.of(vector, profile));
    if (entry == null || result.equals("skipped")) {
      return new String[] {result, ""};
    }
    if (result.equals("pass")) {
      return new String[] {"unexpected-pass", "listed as a known failure, but right"};
    }
    String listed = Comparing.text(entry, "difference");
    String expected = Comparing.text(entry, "result");
    if (expected.equals(result) && samePin(profile, listed, difference)) {
      return new String[] {"known-failure", Comparing.text(causes, Comparing.text(entry, "cause"))};
    }
    return new String[] {result, "listed with another failure: " + expected + " " + listed};
  }

  /** Of a read of one log, what was said; else the class is all. */
  private static boolean samePin(String profile, String listed, String found) {
    boolean reads = List.of("recover", "strict").contains(profile) && !found.startsWith("prefix of ");
    Matcher one = PIN.matcher(listed);
    Matcher other = PIN.matcher(found);
    return !reads || !one.find() || !other.find() || one.group().equals(other.group());
  }
}
