import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.atomix.raft.cluster.RaftMember;
import io.atomix.raft.storage.log.entry.ConfigurationEntry;
import io.atomix.raft.storage.log.entry.RaftLogEntry;
import io.atomix.raft.storage.log.entry.SerializedApplicationEntry;
import io.atomix.raft.storage.serializer.RaftEntrySBESerializer;
import io.atomix.raft.storage.system.MetaStore;
import io.camunda.zeebe.journal.JournalReader;
import io.camunda.zeebe.journal.JournalRecord;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import io.camunda.zeebe.util.buffer.DirectBufferWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import walproof.adapterkit.Implementation;
import walproof.adapterkit.Protocol;

/** Drives Zeebe's SegmentedJournal and raft serializer. {@link Journals} contains the differences between releases. */
public final class Adapter implements Implementation {
  private static final String FORMAT = "zeebe-journal";

  public static void main(String[] args) throws Exception {
    // On machines with at most two processors, each task would get a separate thread, which cannot be awaited.
    System.setProperty("java.util.concurrent.ForkJoinPool.common.parallelism", "2");
    if (args.length == 3 && args[0].equals("bench")) {
      Bench.run(Path.of(args[1]), Integer.parseInt(args[2]));
      return;
    }
    if (args.length > 0 && args[0].equals("entries")) {
      Entries.print();
      return;
    }
    Protocol.run(new Adapter(), args);
  }

  @Override
  public Description describe() {
    return new Description(
        Journals.NAME,
        SegmentedJournal.class.getPackage().getImplementationVersion(),
        List.of(FORMAT),
        List.of("recover", "write", "append"),
        List.of("records", "signals", "index", "asqn", "checksum", "term", "entry_type", "entry"),
        "https://github.com/camunda/camunda",
        "https://github.com/camunda/camunda/issues",
        true);
  }

  /**
   * Opens a copy with the flushed index, as a broker does, and reads it to the end. If opening fails, a second copy is
   * opened without a flushed index, as an operator would do, to read the records before the damage.
   */
  @Override
  public Answer read(Request request) throws Exception {
    Answer answer = new Answer();
    try (Copy copy = new Copy(request.path(), request.context())) {
      Long flushed = null;
      try {
        flushed = flushedIndex(copy, request.context());
      } catch (RuntimeException unreadable) { // the broker fails, too, if MetaStore fails
        answer.signal(unreadable.toString());
      }
      if (!open(copy, flushed, answer) && answer.json.getAsJsonArray("records").isEmpty()) {
        try (Copy second = new Copy(request.path(), request.context())) {
          open(second, null, answer);
        }
      }
    }
    return answer;
  }

  /** Reads all records; returns false if the journal could not be opened. */
  private static boolean open(Copy copy, Long flushed, Answer answer) throws IOException {
    boolean opened = false;
    Map<String, byte[]> before = copy.contents();
    try (SegmentedJournal journal = Opening.journal(copy.folder, copy.name, copy.segmentSize, flushed)) {
      opened = true;
      System.err.println(Journals.NAME + ": opening changed: " + copy.changes(before));
      try (JournalReader reader = journal.openReader()) {
        while (reader.hasNext()) {
          release(reader.next(), answer);
        }
      }
    } catch (RuntimeException thrown) { // CorruptedJournalException, InvalidIndex, IllegalArgumentException …
      answer.signal(thrown.toString());
      if (!opened) {
        System.err.println(Journals.NAME + ": failing to open changed: " + copy.changes(before));
      }
    }
    return opened;
  }

  private static void release(JournalRecord record, Answer answer) {
    byte[] payload = bytes(record.data());
    JsonObject json = answer.release(payload);
    json.addProperty("index", Long.toString(record.index()));
    json.addProperty("asqn", Long.toString(record.asqn()));
    json.addProperty("checksum", Long.toString(record.checksum()));
    JsonElement none = com.google.gson.JsonNull.INSTANCE;
    json.add("term", none);
    json.add("entry_type", none);
    json.add("entry", none);
    try {
      RaftLogEntry raft = new RaftEntrySBESerializer().readRaftLogEntry(new UnsafeBuffer(payload));
      JsonObject entry = new JsonObject();
      String type = "initial";
      if (raft.entry() instanceof SerializedApplicationEntry application) {
        type = "application";
        entry.addProperty("lowest_asqn", Long.toUnsignedString(application.lowestPosition()));
        entry.addProperty("highest_asqn", Long.toUnsignedString(application.highestPosition()));
        byte[] data = bytes(application.data());
        boolean inline = data.length <= 4096;
        entry.addProperty(inline ? "application_data" : "application_data_sha256", inline ? hex(data) : hex(sha256(data)));
      } else if (raft.entry() instanceof ConfigurationEntry configuration) {
        type = "configuration";
        entry.addProperty("timestamp", Long.toUnsignedString(configuration.timestamp()));
        entry.add("new_members", members(configuration.newMembers()));
        entry.add("old_members", members(configuration.oldMembers()));
      }
      json.addProperty("term", Long.toUnsignedString(raft.term()));
      json.addProperty("entry_type", type);
      json.add("entry", entry);
    } catch (RuntimeException noRaftEntry) { // the record itself is sound
      System.err.println(Journals.NAME + ": record " + record.index() + ": " + noRaftEntry);
    }
  }

  private static JsonArray members(Collection<RaftMember> members) {
    JsonArray array = new JsonArray();
    for (RaftMember member : members) {
      JsonObject json = new JsonObject();
      json.addProperty("type", member.getType().name().toLowerCase(Locale.ROOT));
      json.addProperty("updated", Long.toString(member.getLastUpdated().toEpochMilli()));
      json.addProperty("member_id", member.memberId().id());
      array.add(json);
    }
    return array;
  }

  @Override
  public void write(Request request) throws Exception {
    JsonObject context = request.context();
    if (request.acknowledge() != null) {
      Files.createDirectory(request.path());
      try (FileChannel parent = FileChannel.open(request.path().toAbsolutePath().getParent())) {
        parent.force(true); // the folder belongs to the adapter, not to the journal
      }
      appendAndFlush(request);
      return;
    }
    if (context.has("descriptor") && !context.get("descriptor").getAsString().equals("2/2")) {
      throw new Skip("this release writes the newest descriptor only", null);
    }
    if (Copy.isFile(request.path())) {
      try (Copy copy = new Copy(null, context)) {
        begin(copy.folder, copy.name, copy.segmentSize, request.records());
        copy.putFile(request.path());
      }
      return;
    }
    int size = Copy.segmentSize(context);
    Files.createDirectory(request.path());
    try {
      begin(request.path(), Copy.name(request.path(), context), size, request.records());
    } catch (Exception refused) { // the folder belongs to the adapter; files that Zeebe left in it stay
      try (Stream<Path> files = Files.list(request.path())) {
        if (files.findAny().isEmpty()) {
          Files.delete(request.path());
        }
      }
      throw refused;
    }
  }

  @Override
  public void append(Request request) throws Exception {
    JsonObject context = request.context();
    Path path = request.path();
    if (request.acknowledge() != null) {
      appendAndFlush(request);
      return;
    }
    try (Copy copy = new Copy(path, context)) {
      if (Files.isDirectory(path)) { // the copy is needed only for the name and F
        append(path, copy.name, copy.segmentSize, flushedIndex(copy, context), request.records());
      } else {
        append(copy.folder, copy.name, copy.segmentSize, flushedIndex(copy, context), request.records());
        copy.putFile(path);
      }
    }
  }

  /** Creates a journal. It begins with index 1 or, as after a received snapshot, with the index of the first record. */
  private static void begin(Path folder, String name, int size, List<JsonObject> records) throws Exception {
    try (SegmentedJournal journal = Opening.journal(folder, name, size, null)) {
      if (!records.isEmpty() && records.get(0).has("index")) {
        journal.reset(records.get(0).get("index").getAsLong());
      }
      append(journal, records);
    }
  }

  private static void append(Path folder, String name, int size, Long flushed, List<JsonObject> records) throws Exception {
    try (SegmentedJournal journal = Opening.journal(folder, name, size, flushed)) {
      append(journal, records);
    }
  }

  /**
   * Appends each record and flushes it as a broker does before it acknowledges a record, with the broker's store of F.
   * Zeebe creates the next segment in a thread of the common pool, and this thread must finish before a record is
   * reported as durable.
   */
  private static void appendAndFlush(Request request) throws Exception {
    Path folder = request.path();
    String name = Copy.name(folder, request.context());
    int size = Copy.segmentSize(request.context());
    int count = 0;
    try (MetaStore meta = Opening.metaStore(folder, name);
        SegmentedJournal journal = Opening.withStore(folder, name, size, meta)) {
      for (JsonObject record : request.records()) {
        append(journal, List.of(record));
        if (!ForkJoinPool.commonPool().awaitQuiescence(60, TimeUnit.SECONDS)) {
          throw new IllegalStateException("the next segment is not made in a minute");
        }
        request.acknowledge().say(++count);
      }
    }
  }

  private static void append(SegmentedJournal journal, List<JsonObject> records) throws Exception {
    for (JsonObject record : records) {
      long asqn = record.has("asqn") ? record.get("asqn").getAsLong() : SegmentedJournal.ASQN_IGNORE;
      DirectBuffer payload = new UnsafeBuffer(Request.payload(record));
      journal.append(asqn, new DirectBufferWriter().wrap(payload));
    }
    journal.flush();
  }

  private static Long flushedIndex(Copy copy, JsonObject context) throws Exception {
    JsonElement given = context.get("last_flushed_index");
    if (given == null) { // the real store would create a missing file
      return Files.exists(copy.folder.resolve(copy.name + ".meta")) ? Opening.flushedIndex(copy.folder, copy.name) : null;
    }
    if (given.isJsonNull()) {
      return null;
    }
    return given.getAsString().equals("meta") ? Opening.flushedIndex(copy.folder, copy.name) : (Long) given.getAsLong();
  }

  static byte[] bytes(DirectBuffer buffer) {
    byte[] bytes = new byte[buffer.capacity()];
    buffer.getBytes(0, bytes);
    return bytes;
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (java.security.NoSuchAlgorithmException missing) {
      throw new IllegalStateException(missing);
    }
  }
}
