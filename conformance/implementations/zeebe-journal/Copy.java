import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import walproof.adapterkit.Implementation.Skip;

/** A private copy of a log, which is needed because opening a journal changes it. */
final class Copy implements AutoCloseable {
  private static final String ONLY_FILE = "journal-1.log";
  private static final Pattern SEGMENT = Pattern.compile("(.+)-[1-9][0-9]*\\.log");

  final Path folder;
  final String name;
  final int segmentSize;

  /** Copies a folder or a single segment; for null, the copy is empty. */
  Copy(Path log, JsonObject context) throws IOException, Skip {
    name = log != null && Files.isDirectory(log) ? name(log, context) : "journal";
    segmentSize = segmentSize(context);
    folder = Files.createTempDirectory("walproof-zeebe-");
    if (log == null) {
      return;
    }
    if (Files.isDirectory(log)) {
      try (Stream<Path> files = Files.list(log)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Files.copy(file, folder.resolve(file.getFileName().toString()));
        }
      }
    } else {
      Files.copy(log, folder.resolve(ONLY_FILE));
    }
  }

  /** Returns whether the log to write is a single file. */
  static boolean isFile(Path path) {
    return path.getFileName().toString().endsWith(".log");
  }

  /** Copies the only segment to a single-file log. Refuses further segments, because Zeebe always rolls over. */
  void putFile(Path path) throws IOException {
    Path second = folder.resolve("journal-2.log");
    if (Files.exists(second) && !isZero(Files.readAllBytes(second))) {
      throw new IOException("the records need a second segment");
    }
    Files.copy(folder.resolve(ONLY_FILE), path, StandardCopyOption.REPLACE_EXISTING);
  }

  private static boolean isZero(byte[] bytes) {
    return Arrays.equals(bytes, new byte[bytes.length]);
  }

  Map<String, byte[]> contents() throws IOException {
    Map<String, byte[]> contents = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        if (Files.size(file) <= 1 << 20) { // vectors are small; large segments of a broker are not compared
          contents.put(file.getFileName().toString(), Files.readAllBytes(file));
        }
      }
    }
    return contents;
  }

  /** Returns the differences from earlier contents as text. */
  List<String> changes(Map<String, byte[]> before) throws IOException {
    List<String> changes = new ArrayList<>();
    Map<String, byte[]> now = contents();
    before.forEach((file, old) -> {
      byte[] present = now.remove(file);
      if (present == null) {
        changes.add(file + " deleted");
      } else if (!Arrays.equals(old, present)) {
        int at = Arrays.mismatch(old, present);
        changes.add(file + " changed from " + at + " on, " + old.length + " to " + present.length + " bytes");
      }
    });
    now.keySet().forEach(file -> changes.add(file + " created"));
    return changes;
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  static int segmentSize(JsonObject context) {
    return context.has("max_segment_size") ? context.get("max_segment_size").getAsInt() : 1 << 20;
  }

  /** Returns the name in the context, or the only name in the folder, or the only name with a .meta file. */
  static String name(Path folder, JsonObject context) throws IOException, Skip {
    if (context.has("name")) {
      return context.get("name").getAsString();
    }
    TreeMap<String, Boolean> names = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Matcher matcher = SEGMENT.matcher(file.getFileName().toString());
        if (matcher.matches()) {
          names.put(matcher.group(1), Files.exists(folder.resolve(matcher.group(1) + ".meta")));
        }
      }
    }
    if (names.size() > 1) {
      names.values().removeIf(hasMeta -> !hasMeta);
      if (names.size() != 1) {
        throw new Skip("Zeebe is always told the name of its journal", null);
      }
    }
    return names.isEmpty() ? "journal" : names.firstKey();
  }
}
