import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.atomix.cluster.MemberId;
import io.atomix.raft.cluster.RaftMember;
import io.atomix.raft.cluster.impl.DefaultRaftMember;
import io.atomix.raft.storage.RaftStorage;
import io.atomix.raft.storage.log.IndexedRaftLogEntry;
import io.atomix.raft.storage.log.RaftLog;
import io.atomix.raft.storage.log.RaftLogFlusher;
import io.atomix.raft.storage.log.RaftLogReader;
import io.atomix.raft.storage.log.entry.InitialEntry;
import io.atomix.raft.storage.log.entry.RaftLogEntry;
import io.atomix.raft.storage.log.entry.SerializedApplicationEntry;
import io.atomix.raft.storage.system.Configuration;
import io.atomix.raft.storage.system.MetaStore;
import io.camunda.zeebe.journal.JournalMetaStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;

/**
 * Opens the folders of raft partitions with the classes of a broker. Each line of standard input is a request. {@code
 * no-meta} deletes the .meta file first. This class itself compares snapshots with their checksums, because the
 * snapshot store is in another jar.
 */
public final class Partition {
  private static final String NAME = "raft-partition-partition-1";
  private static final MemberId NODE = MemberId.from("0");
  private static final int ENTRIES = 120;
  private static final String SNAPSHOT = "20-1-20-20";

  public static void main(String[] args) throws Exception {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
    Gson gson = new Gson();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null; ) {
      JsonObject request = gson.fromJson(line, JsonObject.class);
      String action = request.get("action").getAsString();
      Path folder = Path.of(request.get("folder").getAsString());
      Map<String, Object> answer;
      try {
        if (action.equals("write")) {
          write(folder);
          answer = Map.of("items", Map.of());
        } else {
          if (action.equals("no-meta")) {
            Files.deleteIfExists(folder.resolve(NAME + ".meta"));
          }
          answer = Map.of("items", read(folder));
        }
      } catch (Throwable refused) {
        answer = Map.of("refused", String.valueOf(refused));
      }
      System.out.println(gson.toJson(answer));
      System.out.flush();
    }
    Runtime.getRuntime().halt(0);
  }

  private static RaftStorage storage(Path folder) {
    return RaftStorage.builder().withDirectory(folder.toFile()).withPrefix(NAME).withPartitionId(1).build();
  }

  private static RaftLog log(Path folder, JournalMetaStore meta) {
    return RaftLog.builder()
        .withDirectory(folder.toFile())
        .withName(NAME)
        .withMaxSegmentSize(8192)
        .withFreeDiskSpace(0)
        .withPreallocateSegmentFiles(true)
        .withFlusher(new RaftLogFlusher.DirectFlusher())
        .withMetaStore(meta)
        .build();
  }

  private static void write(Path folder) throws Exception {
    Path busy = Path.of(folder + ".busy");
    Files.createDirectories(busy);
    RaftStorage storage = storage(busy);
    storage.lock(NODE.id());
    MetaStore meta = storage.openMetaStore();
    meta.storeTerm(1);
    meta.storeVote(NODE);
    RaftMember member = new DefaultRaftMember(NODE, RaftMember.Type.ACTIVE, Instant.now());
    meta.storeConfiguration(new Configuration(1, 1, Instant.now().toEpochMilli(), List.of(member)));
    RaftLog log = log(busy, meta);
    log.append(new RaftLogEntry(1, new InitialEntry()));
    for (int number = 1; number < ENTRIES; number++) {
      byte[] data = ("record " + number + " " + "x".repeat(150)).getBytes(StandardCharsets.UTF_8);
      log.append(new RaftLogEntry(1, new SerializedApplicationEntry(number, number, ByteBuffer.wrap(data))));
    }
    log.flush();
    Path snapshot = Files.createDirectories(busy.resolve("snapshots").resolve(SNAPSHOT));
    Map<String, byte[]> files = new TreeMap<>();
    for (String name : List.of("000012.sst", "CURRENT", "zeebe.metadata")) {
      files.put(name, ("the file " + name + " of a snapshot\n").repeat(40).getBytes(StandardCharsets.UTF_8));
    }
    StringBuilder lines = new StringBuilder("; Zeebe\n; crc32c\n");
    CRC32C combined = new CRC32C();
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Files.write(snapshot.resolve(file.getKey()), file.getValue());
      combined.update(file.getKey().getBytes(StandardCharsets.UTF_8));
      combined.update(file.getValue());
      lines.append("%s   %s%n".formatted(file.getKey(), Long.toHexString(crc(file.getValue()))));
    }
    lines.append("; combinedValue = %s%n".formatted(Long.toHexString(combined.getValue())));
    Files.writeString(busy.resolve("snapshots").resolve(SNAPSHOT + ".checksum"), lines);
    log.close();
    meta.close();
    copy(busy, folder);
  }

  private static long crc(byte[] data) {
    CRC32C crc = new CRC32C();
    crc.update(data);
    return crc.getValue();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  private static Map<String, String> read(Path folder) throws Exception {
    Map<String, String> items = new TreeMap<>();
    RaftStorage storage = storage(folder);
    if (!storage.lock(NODE.id())) {
      throw new IllegalStateException("another node has the lock");
    }
    MetaStore meta = storage.openMetaStore();
    try {
      items.put("term", Long.toString(meta.loadTerm()));
      items.put("vote", String.valueOf(meta.loadVote()));
      Configuration group = meta.loadConfiguration();
      if (group != null) {
        items.put("group", String.valueOf(group.allMembers()));
      }
      RaftLog log = log(folder, meta);
      try (RaftLogReader reader = log.openUncommittedReader()) {
        while (reader.hasNext()) {
          IndexedRaftLogEntry entry = reader.next();
          items.put("entry %d".formatted(entry.index()), entry.term() + " " + value(entry));
        }
      } finally {
        log.close();
      }
    } finally {
      meta.close();
    }
    snapshot(folder, items);
    return items;
  }

  private static void snapshot(Path folder, Map<String, String> items) throws IOException {
    Path inside = folder.resolve("snapshots").resolve(SNAPSHOT);
    Path checksums = folder.resolve("snapshots").resolve(SNAPSHOT + ".checksum");
    if (!Files.isDirectory(inside) || !Files.exists(checksums)) {
      return;
    }
    Map<String, String> listed = new TreeMap<>();
    for (String line : new String(Files.readAllBytes(checksums), StandardCharsets.ISO_8859_1).split("[\r\n]+")) {
      String[] parts = line.trim().split(" {3}");
      if (parts.length == 2 && !line.startsWith(";")) {
        listed.put(parts[0], parts[1]);
      }
    }
    Map<String, String> actual = new TreeMap<>();
    try (Stream<Path> files = Files.list(inside)) {
      for (Path file : files.toList()) {
        actual.put(file.getFileName().toString(), Long.toHexString(crc(Files.readAllBytes(file))));
      }
    }
    if (actual.equals(listed) && !actual.isEmpty()) {
      items.put("snapshot", actual.toString());
    }
  }

  private static String value(IndexedRaftLogEntry entry) {
    if (entry.entry() instanceof SerializedApplicationEntry application) {
      DirectBuffer data = application.data();
      byte[] bytes = new byte[data.capacity()];
      data.getBytes(0, bytes);
      return new String(bytes, StandardCharsets.ISO_8859_1);
    }
    return entry.entry().getClass().getSimpleName();
  }
}
