package walproof.vectors;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Readers that are tables: the project's own tests give one to the runner of every language. */
class TablesTest {
  @TestFactory
  Stream<DynamicTest> tables() throws IOException {
    String folder = System.getenv("WALPROOF_TABLES");
    List<DynamicTest> all = new ArrayList<>();
    if (folder == null) {
      return all.stream();
    }
    try (Stream<Path> files = Files.list(Path.of(folder))) {
      for (Path file : files.filter(one -> one.toString().endsWith(".json")).collect(Collectors.toList())) {
        JsonObject made = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
        String base = file.toString().replaceAll("\\.json$", "");
        Set<String> chosen = new HashSet<>(List.of(texts(made, "vectors")));
        for (String format : texts(made, "formats")) {
          new VectorTests(format, new Table(made.getAsJsonObject("acts"))).reports(texts(made, "reports"))
              .profiles(texts(made, "profiles")).patience(made.get("patience").getAsInt())
              .known(Path.of(base + ".known")).results(Path.of(base + ".maven"))
              .choose(vector -> chosen.contains(vector.id)).tests().forEach(all::add);
        }
      }
    }
    return all.stream();
  }

  private static String[] texts(JsonObject from, String name) {
    return Comparing.list(from, name).asList().stream().map(JsonElement::getAsString).toArray(String[]::new);
  }

  private static final class Table implements Subject {
    private final JsonObject acts;

    Table(JsonObject acts) {
      this.acts = acts;
    }

    @Override
    public JsonObject read(Request request) throws Exception {
      return act(request).getAsJsonObject("answer").deepCopy();
    }

    @Override
    public void write(Request request) throws Exception {
      act(request);
    }

    @Override
    public void append(Request request) throws Exception {
      act(request);
    }

    private JsonObject act(Request asked) throws Exception {
      JsonArray records = new JsonArray();
      asked.records.forEach(records::add);
      String key = hash(String.join("\n", asked.format, asked.profile, asked.path.getFileName().toString(),
          Comparing.canonical(asked.context), contents(asked.path), Comparing.canonical(records)));
      JsonObject act = acts.getAsJsonObject(key);
      if (act == null || act.has("skip")) {
        throw new Skip(act == null ? "not in the table" : Comparing.text(act, "skip"));
      }
      if (act.has("hang")) {
        Thread.sleep(3_600_000);
      }
      if (act.has("raise")) {
        throw new Error(Comparing.text(act, "raise"));
      }
      if (act.has("change")) {
        List<String> names = names(asked.path);
        Path target = names.isEmpty() ? asked.path : asked.path.resolve(names.get(names.size() - 1));
        Files.write(target, new byte[1], StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      }
      if (act.has("refuse")) {
        throw new IOException(Comparing.text(act, "refuse"));
      }
      if (act.has("files")) {
        leave(asked.path, act.getAsJsonObject("files"));
      }
      return act;
    }
  }

  private static void leave(Path path, JsonObject files) throws IOException {
    if (Files.exists(path)) {
      try (Stream<Path> all = Files.walk(path)) {
        for (Path one : all.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
          Files.delete(one);
        }
      }
    }
    for (Map.Entry<String, JsonElement> file : files.entrySet()) {
      Path target = path.resolveSibling(file.getKey());
      Files.createDirectories(target.getParent());
      Files.write(target, Comparing.bytes(file.getValue().getAsString()));
    }
  }

  private static List<String> names(Path path) throws IOException {
    return Files.isDirectory(path) ? new ArrayList<>(Case.below(path).keySet()) : List.of();
  }

  private static String hash(String text) {
    return Vectors.hex(Vectors.sha256(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static String contents(Path path) throws IOException {
    if (!Files.exists(path)) {
      return "-";
    }
    if (Files.isRegularFile(path)) {
      return Vectors.hex(Vectors.sha256(Files.readAllBytes(path)));
    }
    StringBuilder listing = new StringBuilder();
    for (String name : names(path)) {
      listing.append(Vectors.hex(Vectors.sha256(Files.readAllBytes(path.resolve(name))))).append("  ").append(name).append('\n');
    }
    return hash(listing.toString());
  }
}
