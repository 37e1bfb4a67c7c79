package walproof.vectors;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A list of known failures, strict both ways: the form that walproof check writes. */
final class Known {
  /** The cause of what is new on a list: nobody has looked yet. */
  private static final String UNEXPLAINED = "unexplained";
  private static final Pattern PIN = Pattern.compile("\\[[0-9a-f]{8}\\]$");
  private final Map<List<String>, JsonObject> failures = new LinkedHashMap<>();
  private JsonObject causes = new JsonObject();
  private final Path path;
  /** Whether what is found is written to the file. */
  final boolean updates;

  /** The list in a file; null, or one that is not there, is empty. IOException if it does not hold together. */
  Known(Path path, boolean updates) throws IOException {
    if (updates && path == null) {
      throw new IOException("WALPROOF_UPDATE_KNOWN is set, and no file of known failures is named");
    }
    this.path = path;
    this.updates = updates;
    load();
  }

  private void load() throws IOException {
    failures.clear();
    causes = new JsonObject();
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

  /** Writes a result to the list, if it is not there: its class then, and what was done. */
  String[] updated(String vector, String profile, String result, String difference) throws IOException {
    synchronized (Known.class) { // several tests may have the same list
      String[] found = compared(vector, profile, result, difference);
      if (List.of("pass", "skipped", "known-failure").contains(found[0])) {
        return found;
      }
      load(); // another test may have written to it
      JsonObject old = failures.remove(List.of(vector, profile));
      if (result.equals("pass")) {
        save();
        return new String[] {"pass", "taken off " + path};
      }
      String cause = old == null ? UNEXPLAINED : Comparing.text(old, "cause");
      JsonObject entry = new JsonObject();
      entry.addProperty("vector", vector);
      entry.addProperty("profile", profile);
      entry.addProperty("result", result);
      entry.addProperty("difference", difference);
      entry.addProperty("cause", cause);
      failures.put(List.of(vector, profile), entry);
      save();
      return new String[] {"known-failure", "written to " + path + ", cause " + cause};
    }
  }

  /** Takes off the list what is about vectors that are no more. */
  void forget(Collection<String> vectors) throws IOException {
    synchronized (Known.class) {
      failures.keySet().removeIf(key -> vectors.contains(key.get(0)));
      save();
    }
  }

  /** Writes the list; an empty one is removed. */
  private void save() throws IOException {
    if (failures.isEmpty()) {
      Files.deleteIfExists(path);
      return;
    }
    JsonArray rows = new JsonArray();
    JsonObject used = new JsonObject();
    failures.keySet().stream().sorted(Comparator.comparing((List<String> key) -> key.get(0)).thenComparing(key -> key.get(1)))
        .forEach(key -> rows.add(failures.get(key)));
    failures.values().stream().map(one -> Comparing.text(one, "cause")).distinct().sorted()
        .forEach(cause -> used.addProperty(cause, causes.has(cause) ? Comparing.text(causes, cause) : ""));
    causes = used;
    JsonObject body = new JsonObject();
    body.add("causes", used);
    body.add("failures", rows);
    Files.writeString(path, new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(body) + "\n");
  }

  /** Of a read of one log, what was said; else the class is all. */
  private static boolean samePin(String profile, String listed, String found) {
    boolean reads = List.of("recover", "strict").contains(profile) && !found.startsWith("prefix of ");
    Matcher one = PIN.matcher(listed);
    Matcher other = PIN.matcher(found);
    return !reads || !one.find() || !other.find() || one.group().equals(other.group());
  }
}
