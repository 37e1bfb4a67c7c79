package walproof.vectors;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One vector in one profile: a scratch copy, a request, and what came of it. */
final class Case {
  static final String FREE = "the writer is free here: only walproof check reads what it left";
  /** What came of the requests of one vector: the last of these is its result. */
  private static final List<String> WEIGHT = List.of("pass", "skipped", "fail", "crash", "timeout");

  private final Subject subject;
  private final List<String> reports;
  private final int patience;
  private final JsonObject body;
  private final String profile;
  private final String input;
  private final String slug;
  private final boolean isFile;

  /** A class, and what differs or why. */
  static final class Outcome {
    final String kind;
    final String text;
    final JsonObject answer;

    Outcome(String kind, String text, JsonObject answer) {
      this.kind = kind;
      this.text = text;
      this.answer = answer;
    }

    static Outcome of(String wrong) {
      return wrong.isEmpty() ? new Outcome("pass", "", null) : new Outcome("fail", wrong, null);
    }
  }

  Case(Subject subject, List<String> reports, int patience, String id, String profile) throws IOException {
    this.subject = subject;
    this.reports = reports;
    this.patience = patience;
    this.profile = profile;
    body = Vectors.json(id + ".json", JsonObject.class);
    input = Comparing.text(body, "input");
    slug = id.substring(id.indexOf('/') + 1);
    isFile = Vectors.isFile(Comparing.text(body, "format") + "/" + input);
  }

  /** What came of it, before the list of known failures is looked at. */
  Outcome judge() throws IOException {
    Map<String, byte[]> files = Vectors.files(Comparing.text(body, "format") + "/" + input, input);
    if (profile.equals("write") || profile.equals("append")) {
      return written(files);
    }
    if (!Comparing.text(body, "operation").equals("truncations")) {
      String of = profile.equals("strict") ? "_strict" : "";
      List<JsonObject> right = new ArrayList<>(List.of(body.getAsJsonObject("expect" + of)));
      Comparing.list(body, "accept").forEach(one -> right.add(one.getAsJsonObject().getAsJsonObject("answer" + of)));
      return read(files, right);
    }
    Outcome worst = Outcome.of("");
    for (JsonElement one : body.getAsJsonArray("table")) {
      JsonObject row = one.getAsJsonObject();
      long from = row.get("from").getAsLong();
      long to = row.get("to").getAsLong();
      for (long length : from == to ? new long[] {from} : new long[] {from, to}) {
        byte[] cut = Arrays.copyOf(files.get(input), (int) length);
        Outcome found = read(Map.of(input, cut), List.of(prefix(row, length)));
        if (WEIGHT.indexOf(found.kind) > WEIGHT.indexOf(worst.kind)) {
          worst = new Outcome(found.kind, "prefix of " + length + ": " + found.text, null);
        }
        if (WEIGHT.indexOf(found.kind) > WEIGHT.indexOf("fail")) {
          return worst;
        }
      }
    }
    return worst;
  }

  /** The answer to a prefix, from a row of the table of a vector of truncations. */
  private JsonObject prefix(JsonObject row, long length) {
    long end = Comparing.text(row, "end").equals("length") ? length : row.get("end").getAsLong();
    JsonObject answer = new JsonObject();
    answer.add("verdict", row.get("verdict"));
    answer.add("reason", row.get("reason"));
    JsonArray records = new JsonArray();
    JsonArray all = body.getAsJsonObject("expect").getAsJsonArray("records");
    for (int number = 0; number < row.get("records").getAsInt(); number++) {
      records.add(all.get(number));
    }
    answer.add("records", records);
    JsonArray lost = new JsonArray();
    if (Comparing.text(row, "verdict").equals("torn")) {
      JsonObject range = new JsonObject();
      range.addProperty("from", end);
      range.addProperty("to", length);
      range.add("reason", row.get("reason"));
      lost.add(range);
    }
    answer.add("lost", lost);
    answer.addProperty("end", end);
    return answer;
  }

  private Outcome read(Map<String, byte[]> files, List<JsonObject> right) throws IOException {
    Path place = place(files);
    try {
      Outcome done = call(place);
      if (!done.kind.equals("done")) {
        return done.kind.equals("refused") ? new Outcome("crash", done.text, null) : done;
      }
      JsonObject actual = Comparing.normalised(done.answer);
      List<String> wrong = Comparing.differences(right.get(0), actual, reports);
      if (right.stream().skip(1).anyMatch(one -> Comparing.differences(one, actual, reports).isEmpty())) {
        wrong.clear();
      }
      if (!isAt(place, files)) {
        wrong.add("the reader changed the log it read");
      }
      String pinned = " [" + Comparing.pin(actual, reports) + "]";
      return Outcome.of(wrong.isEmpty() ? "" : String.join("; ", wrong) + pinned);
    } finally {
      remove(place.getParent());
    }
  }

  /** A write, or an append. */
  private Outcome written(Map<String, byte[]> files) throws IOException {
    boolean writes = profile.equals("write");
    Map<String, byte[]> before = writes ? Map.of() : files;
    Path place = place(before);
    try {
      Outcome done = call(place);
      if (done.kind.equals("refused")) {
        return refused(place, before, done.text);
      }
      if (!done.kind.equals("done")) {
        return done;
      }
      if (body.has("must_refuse")) {
        return Outcome.of("the writer says done where it must refuse");
      }
      if (writes) {
        boolean same = isAt(place, files);
        return Outcome.of(same ? filesWrong(place, after(body)) : "bytes: the log is not what it should be");
      }
      List<JsonObject> allowed = new ArrayList<>(List.of(after(body)));
      Comparing.list(body, "accept").forEach(one -> allowed.add(after(one.getAsJsonObject())));
      String first = "";
      for (JsonObject one : allowed) {
        String wrong = filesWrong(place, one);
        if (wrong.isEmpty()) {
          boolean whole = stream(one, "files").allMatch(file -> file.has("sha256"));
          return whole ? Outcome.of("") : new Outcome("skipped", FREE, null);
        }
        first = first.isEmpty() ? wrong : first;
      }
      return Outcome.of(first);
    } finally {
      remove(place.getParent());
    }
  }

  private static JsonObject after(JsonObject of) {
    return of.getAsJsonObject("after");
  }

  private Outcome refused(Path place, Map<String, byte[]> before, String why) throws IOException {
    if (!body.has("must_refuse") && !body.has("may_refuse")) {
      return Outcome.of("the writer refused: " + why);
    }
    boolean gone = !Files.exists(place, LinkOption.NOFOLLOW_LINKS);
    if (!(profile.equals("write") ? gone : isAt(place, before))) {
      return Outcome.of("the writer refused, and changed the log");
    }
    JsonArray files = new JsonArray();
    before.forEach((name, data) -> {
      JsonObject file = new JsonObject();
      file.addProperty("name", isFile ? input : input + "/" + name);
      file.addProperty("size", data.length);
      files.add(file);
    });
    JsonObject owed = new JsonObject();
    owed.add("files", files);
    owed.add("free", Comparing.list(after(body), "free"));
    String wrong = filesWrong(place, owed);
    return Outcome.of(wrong.isEmpty() ? "" : "the writer refused, and changed what is there: " + wrong);
  }

  /** Asks the subject, in a thread of its own. One that hangs is interrupted, and then left to itself. */
  private Outcome call(Path place) {
    JsonElement context = Comparing.part(body, "context");
    Subject.Request request = new Subject.Request(Comparing.text(body, "format"), place, profile,
        context.isJsonObject() ? context.deepCopy().getAsJsonObject() : new JsonObject(), toWrite());
    List<Outcome> ended = new ArrayList<>();
    Thread thread = new Thread(() -> {
      Outcome found;
      try {
        JsonObject answer = null;
        if (profile.equals("write")) {
          subject.write(request);
        } else if (profile.equals("append")) {
          subject.append(request);
        } else {
          answer = subject.read(request);
        }
        found = new Outcome("done", "", answer);
      } catch (Subject.Skip skip) {
        found = new Outcome("skipped", skip.getMessage(), null);
      } catch (Exception refusal) {
        found = new Outcome("refused", refusal.toString(), null);
      } catch (Throwable crash) {
        found = new Outcome("crash", crash.toString(), null);
      }
      synchronized (ended) {
        ended.add(found);
      }
    });
    JsonElement limits = Comparing.part(body, "limits");
    boolean stated = limits.isJsonObject() && limits.getAsJsonObject().has("wall_ms");
    long limit = patience * (stated ? limits.getAsJsonObject().get("wall_ms").getAsLong() : 2000);
    thread.setDaemon(true);
    thread.start();
    try {
      thread.join(limit);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    synchronized (ended) {
      if (!ended.isEmpty()) {
        return ended.get(0);
      }
    }
    thread.interrupt();
    return new Outcome("timeout", "no answer in " + limit + " ms", null);
  }

  private List<JsonObject> toWrite() {
    return stream(body, "records").map(one -> {
      JsonObject record = one.deepCopy();
      if (!record.has("payload")) {
        int size = record.remove("size").getAsInt();
        record.addProperty("payload", record.remove("fill").getAsString().repeat(size));
      }
      return record;
    }).collect(Collectors.toList());
  }

  private static Stream<JsonObject> stream(JsonObject from, String name) {
    return Comparing.list(from, name).asList().stream().map(JsonElement::getAsJsonObject);
  }

  /** A name without that of the vector: nobody may go by it. Other names mean something. */
  private String neutral(String name) {
    return name.startsWith(slug) ? "case" + name.substring(slug.length()) : name;
  }

  /** The opposite. */
  private String own(String name) {
    boolean isNeutral = !neutral(input).equals(input) && name.startsWith("case");
    return isNeutral ? slug + name.substring(4) : name;
  }

  /** A copy of a log, or room for one, in a folder of its own. */
  private Path place(Map<String, byte[]> files) throws IOException {
    Path place = Files.createTempDirectory("walproof").resolve(neutral(input));
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path target = isFile ? place : place.resolve(file.getKey());
      Files.createDirectories(target.getParent());
      Files.write(target, file.getValue());
    }
    return place;
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
        Files.deleteIfExists(one);
      }
    }
  }

  /** Whether just these files are at a place. */
  private boolean isAt(Path place, Map<String, byte[]> files) throws IOException {
    if (isFile) {
      return Files.isRegularFile(place) && Arrays.equals(Files.readAllBytes(place), files.get(input));
    }
    if (!Files.isDirectory(place) || !below(place).keySet().equals(files.keySet())) {
      return false;
    }
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      if (!Arrays.equals(Files.readAllBytes(place.resolve(file.getKey())), file.getValue())) {
        return false;
      }
    }
    return true;
  }

  /** What is wrong with the files in the folder of a place. */
  private String filesWrong(Path place, JsonObject after) throws IOException {
    List<String> free = stream(after, "free").map(one -> Comparing.text(one, "freedom")).collect(Collectors.toList());
    TreeMap<String, Long> there = new TreeMap<>();
    below(place.getParent()).forEach((name, size) -> there.put(own(name), size));
    List<String> wrong = new ArrayList<>();
    for (JsonElement one : Comparing.list(after, "files")) {
      String name = Comparing.text(one.getAsJsonObject(), "name");
      String pattern = Pattern.quote(name).replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q");
      var fitting = there.keySet().stream().filter(each -> each.equals(name) || each.matches("(?s)" + pattern)).findFirst();
      long size = one.getAsJsonObject().get("size").getAsLong();
      if (fitting.isEmpty()) {
        wrong.add(name + " is missing");
      } else if (there.remove(fitting.get()) != size && !free.contains("preallocation")) {
        wrong.add(name + ": expected " + size + " bytes");
      }
    }
    if (!free.contains("other-files")) {
      there.keySet().forEach(name -> wrong.add(name + " should not be there"));
    }
    for (JsonElement one : Comparing.list(after, "bytes")) {
      JsonObject part = one.getAsJsonObject();
      int at = part.get("at").getAsInt();
      byte[] owed = Comparing.bytes(Comparing.text(part, "hex"));
      byte[] data = data(place, Comparing.text(part, "name"));
      if (data.length < at + owed.length || !Arrays.equals(owed, Arrays.copyOfRange(data, at, at + owed.length))) {
        wrong.add(Comparing.text(part, "name") + " at " + at + ": expected " + Comparing.text(part, "hex"));
      }
    }
    for (JsonElement one : Comparing.list(after, "files")) {
      JsonObject file = one.getAsJsonObject();
      byte[] data = file.has("sha256") ? data(place, Comparing.text(file, "name")) : null;
      if (data != null && !Vectors.hex(Vectors.sha256(data)).equals(Comparing.text(file, "sha256"))) {
        wrong.add(Comparing.text(file, "name") + ": other bytes");
      }
    }
    return String.join(", ", wrong);
  }

  private byte[] data(Path place, String name) throws IOException {
    Path file = place.resolveSibling(neutral(name));
    return Files.isRegularFile(file) ? Files.readAllBytes(file) : new byte[0];
  }

  /** Sizes of what is below a folder and no folder itself, by names with /. */
  static Map<String, Long> below(Path folder) throws IOException {
    Map<String, Long> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path one : all.filter(each -> !Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)).collect(Collectors.toList())) {
        String name = folder.relativize(one).toString().replace('\\', '/');
        found.put(name, Files.readAttributes(one, java.nio.file.attribute.BasicFileAttributes.class,
            LinkOption.NOFOLLOW_LINKS).size());
      }
    }
    return found;
  }
}
