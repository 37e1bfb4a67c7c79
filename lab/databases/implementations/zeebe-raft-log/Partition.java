import io.atomix.raft.storage.log.IndexedRaftLogEntry;
import io.atomix.raft.storage.log.RaftLog;
import io.atomix.raft.storage.log.RaftLogFlusher;
import io.atomix.raft.storage.log.RaftLogReader;
import io.atomix.raft.storage.log.entry.ConfigurationEntry;
import io.atomix.raft.storage.log.entry.InitialEntry;
import io.atomix.raft.storage.log.entry.RaftLogEntry;
import io.atomix.raft.storage.log.entry.SerializedApplicationEntry;
import io.camunda.zeebe.journal.JournalMetaStore;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Properties;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;

/**
 * The log of a raft partition. {@code MODE FOLDER LOG} copies the segments of LOG/partition to FOLDER and opens them
 * with the settings in LOG/settings; ../opener/opener.py describes the output.
 */
public final class Partition {
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]);
    Path words = Path.of(args[1] + ".words");
    System.setProperty("org.slf4j.simpleLogger.logFile", words.toString());
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    Properties settings = new Properties();
    try (Reader reader = Files.newBufferedReader(Path.of(args[2], "settings"))) {
      settings.load(reader);
    }
    Files.createDirectories(folder);
    try (Stream<Path> files = Files.list(Path.of(args[2], "partition"))) {
      for (Path file : files.toList()) {
        Files.copy(file, folder.resolve(file.getFileName()));
      }
    }
    JournalMetaStore meta = new JournalMetaStore.InMemory();
    String flushed = settings.getProperty("flushed");
    if (flushed != null && args[0].equals("open")) {
      meta.storeLastFlushedIndex(Long.parseLong(flushed));
    }
    String refused = null;
    try {
      twice(folder, settings, meta);
    } catch (Throwable thrown) {
      refused = thrown.toString();
    }
    try (Stream<String> lines = Files.exists(words) ? Files.lines(words) : Stream.empty()) {
      lines.filter(line -> line.contains(" WARN ") || line.contains(" ERROR ")).forEach(line -> print("said", line));
    }
    if (refused != null) {
      print("refused", refused);
    }
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  private static void twice(Path folder, Properties settings, JournalMetaStore meta) throws Exception {
    RaftLog log = open(folder, settings, meta);
    long term = tell(log, "item");
    log.append(new RaftLogEntry(term, new InitialEntry()));
    log.flush();
    log.close();
    System.out.println("{\"again\": true}");
    log = open(folder, settings, meta);
    tell(log, "later");
    log.close();
  }

  private static RaftLog open(Path folder, Properties settings, JournalMetaStore meta) {
    return RaftLog.builder()
        .withDirectory(folder.toFile())
        .withName(settings.getProperty("name"))
        .withMaxSegmentSize(Integer.parseInt(settings.getProperty("segment_size")))
        .withFreeDiskSpace(0)
        .withPreallocateSegmentFiles(true)
        .withFlusher(new RaftLogFlusher.DirectFlusher())
        .withMetaStore(meta)
        .build();
  }

  /** Prints the entries up to the first exception, and returns the term of the last entry. */
  private static long tell(RaftLog log, String kind) {
    long term = 1;
    try (RaftLogReader reader = log.openUncommittedReader()) {
      while (reader.hasNext()) {
        IndexedRaftLogEntry entry = reader.next();
        term = entry.term();
        String value = "%d %s".formatted(term, type(entry));
        System.out.printf("{\"%s\": [\"%s\", \"%s\"]}%n", kind, hex(Long.toString(entry.index())), hex(value));
      }
    } catch (RuntimeException thrown) {
      print("said", thrown.toString());
    }
    return term;
  }

  private static String type(IndexedRaftLogEntry entry) {
    if (entry.entry() instanceof SerializedApplicationEntry application) {
      DirectBuffer data = application.data();
      byte[] bytes = new byte[data.capacity()];
      data.getBytes(0, bytes);
      return "application " + HexFormat.of().formatHex(bytes);
    }
    return entry.entry() instanceof ConfigurationEntry ? "configuration" : "initial";
  }

  private static void print(String key, String text) {
    StringBuilder line = new StringBuilder("{\"" + key + "\": \"");
    for (char c : text.toCharArray()) {
      line.append(c < ' ' || c == '"' || c == '\\' || c > '~' ? "\\u%04x".formatted((int) c) : Character.toString(c));
    }
    System.out.println(line.append("\"}"));
  }

  private static String hex(String text) throws RuntimeException {
    return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
  }
}
