import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.store.kahadb.disk.journal.DataFile;
import org.apache.activemq.store.kahadb.disk.journal.Journal;
import org.apache.activemq.store.kahadb.disk.journal.Location;
import org.apache.activemq.store.kahadb.disk.journal.TargetedDataFileAppender;
import org.apache.activemq.store.kahadb.disk.util.Sequence;
import org.apache.activemq.util.ByteSequence;
import walproof.adapterkit.Implementation;
import walproof.adapterkit.Protocol;

/** Drives the public API of KahaDB's Journal, in the release on the class path, on a copy of the log. */
public final class Adapter implements Implementation {
  private static final int MAX_FILE_LENGTH = Journal.DEFAULT_MAX_FILE_LENGTH;

  public static void main(String[] args) throws Exception {
    if (args.length == 3 && args[0].equals("bench")) {
      Bench.run(Path.of(args[1]), Integer.parseInt(args[2]));
      return;
    }
    if (args.length == 5 && args[0].equals("generate")) {
      Bench.generate(Path.of(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]), args[4]);
      return;
    }
    Protocol.run(new Adapter(), args);
  }

  @Override
  public Description describe() {
    return new Description(
        System.getProperty("walproof.name", "kahadb-store"),
        Journal.class.getPackage().getImplementationVersion(),
        List.of("kahadb-journal"),
        List.of("recover", "write", "append"),
        List.of("records", "at", "size", "type", "file", "lost", "signals"),
        "https://activemq.apache.org",
        "https://github.com/apache/activemq/issues",
        true);
  }

  /** Returns the journal in a folder. It uses checksums, checks every file when it starts, and does not preallocate. */
  static Journal open(Path folder, JsonObject context) throws IOException {
    Journal journal = new Journal();
    journal.setDirectory(new SortedFolder(folder));
    journal.setMaxFileLength(integer(context, "max_file_length", MAX_FILE_LENGTH));
    journal.setWriteBatchSize(integer(context, "write_batch_size", Journal.DEFAULT_MAX_WRITE_BATCH_SIZE));
    journal.setChecksum(true);
    journal.setCheckForCorruptionOnStartup(true);
    journal.setPreallocationScope(Journal.PreallocationScope.NONE);
    return journal;
  }

  /** Reads as MessageDatabase does with checkForCorruptJournalFiles and ignoreMissingJournalfiles. */
  @Override
  public Answer read(Request request) throws IOException {
    Answer answer = new Answer();
    try (Copy copy = new Copy(request.path())) {
      Journal journal = open(copy.folder, request.context());
      try {
        journal.start(); // may never return; then the harness ends this process
        walk(journal, copy, answer);
      } catch (IOException | RuntimeException thrown) {
        answer.signal(thrown.toString());
      }
      report(journal, copy, answer);
      close(journal);
    }
    return answer;
  }

  /** Adds each location once. Stops when it has added as many locations as the files can hold. */
  private static void walk(Journal journal, Copy copy, Answer answer) throws IOException {
    long room = copy.size / Journal.RECORD_HEAD_SPACE + copy.files + 1;
    Location location = null;
    while ((location = journal.getNextLocation(location)) != null) {
      if (room-- == 0) {
        answer.signal("getNextLocation does not come to an end");
        return;
      }
      Location at = new Location(location);
      try {
        ByteSequence data = journal.read(location);
        byte[] payload = new byte[data.getLength()];
        System.arraycopy(data.getData(), data.getOffset(), payload, 0, payload.length);
        JsonObject record = answer.release(payload);
        record.addProperty("at", at.getOffset());
        record.addProperty("size", at.getSize());
        record.addProperty("type", at.getType());
        copy.name(record, journal.getDataFileById(at.getDataFileId()));
      } catch (IOException unreadable) {
        answer.signal(unreadable.getMessage());
        journal.corruptRecoveryLocation(location);
      }
    }
  }

  /**
   * Adds the corrupted ranges of every file as half-open ranges. KahaDB's ranges include their last byte, but a range
   * up to the end of the file is one byte too long. The end of the log is the length of the last file, because the next
   * batch is written there.
   */
  private static void report(Journal journal, Copy copy, Answer answer) {
    JsonArray lost = new JsonArray();
    for (DataFile file : journal.getFileMap().values()) {
      for (Sequence range = file.getCorruptedBlocks().getHead(); range != null; range = range.getNext()) {
        JsonObject gap = new JsonObject();
        copy.name(gap, file);
        gap.addProperty("from", range.getFirst());
        gap.addProperty("to", Math.min(range.getLast() + 1, file.getFile().length()));
        gap.addProperty("reason", "corrupted-block");
        lost.add(gap);
        answer.signal("corrupted block " + range + " in " + file.getFile().getName());
      }
    }
    answer.json.add("lost", lost);
    Location end = journal.getLastAppendLocation();
    if (end != null) {
      copy.end(answer, journal.getDataFileById(end.getDataFileId()));
    }
  }

  private static Journal openToWrite(Path folder, JsonObject context) throws IOException, Skip {
    if (context.has("eof") && !context.get("eof").getAsString().equals("record")) {
      throw new Skip("this release writes EOF records", null);
    }
    Journal journal = open(folder, context);
    journal.setChecksum(!context.has("checksum") || context.get("checksum").getAsBoolean());
    String preallocation = context.has("preallocation") ? context.get("preallocation").getAsString() : "none";
    if (!preallocation.equals("none")) {
      journal.setPreallocationScope(Journal.PreallocationScope.ENTIRE_JOURNAL);
      journal.setPreallocationStrategy(strategy(preallocation));
    }
    return journal;
  }

  /** Creates a journal. Single records are written as by a broker, batches with TargetedDataFileAppender. */
  @Override
  public void write(Request request) throws Exception {
    JsonObject context = request.context();
    if (request.acknowledge() != null) {
      Files.createDirectory(request.path());
      oneByOne(request);
      return;
    }
    try (Copy copy = new Copy(null)) {
      Journal journal = openToWrite(copy.folder, context);
      journal.start();
      for (List<JsonObject> group : groups(request.records())) {
        write(journal, group);
      }
      close(journal);
      if (context.has("folder")) {
        copy.putFolder(request.path());
      } else {
        copy.putFile(request.path());
      }
    }
  }

  /** Starts the journal as after a crash, writes each record synchronously, and copies the files back. */
  @Override
  public void append(Request request) throws Exception {
    if (request.acknowledge() != null) {
      oneByOne(request);
      return;
    }
    try (Copy copy = new Copy(request.path())) {
      Journal journal = openToWrite(copy.folder, request.context());
      journal.start();
      for (JsonObject record : request.records()) {
        journal.write(new ByteSequence(Request.payload(record)), true);
      }
      close(journal);
      copy.putBack(request.path());
    }
  }

  /** Writes each record synchronously and directly to the folder: a batch is synced before its write returns. */
  private static void oneByOne(Request request) throws Exception {
    Journal journal = openToWrite(request.path(), request.context());
    journal.start();
    int count = 0;
    for (JsonObject record : request.records()) {
      journal.write(new ByteSequence(Request.payload(record)), true);
      request.acknowledge().say(++count);
    }
    close(journal);
  }

  private static void write(Journal journal, List<JsonObject> group) throws IOException {
    if (group.size() == 1) {
      journal.write(new ByteSequence(Request.payload(group.get(0))), true);
      return;
    }
    int first = Request.payload(group.get(0)).length + Journal.RECORD_HEAD_SPACE;
    var appender = new TargetedDataFileAppender(journal, journal.getCurrentDataFile(first));
    for (JsonObject record : group) {
      appender.storeItem(new ByteSequence(Request.payload(record)), Journal.USER_RECORD_TYPE, false);
    }
    appender.close();
  }

  /** Groups adjacent records with the same batch number. */
  private static List<List<JsonObject>> groups(List<JsonObject> records) {
    List<List<JsonObject>> groups = new ArrayList<>();
    Integer last = null;
    for (JsonObject record : records) {
      Integer number = record.has("batch") ? record.get("batch").getAsInt() : null;
      if (number == null || !number.equals(last)) {
        groups.add(new ArrayList<>());
      }
      groups.get(groups.size() - 1).add(record);
      last = number;
    }
    return groups;
  }

  static Journal.PreallocationStrategy strategy(String name) throws Skip {
    return switch (name) {
      case "sparse" -> Journal.PreallocationStrategy.SPARSE_FILE;
      case "kernel-copy" -> Journal.PreallocationStrategy.OS_KERNEL_COPY;
      case "zeros" -> Journal.PreallocationStrategy.ZEROS;
      case "chunked-zeros" -> Journal.PreallocationStrategy.CHUNKED_ZEROS;
      default -> throw new Skip("this release has no preallocation " + name, null);
    };
  }

  static void close(Journal journal) {
    try {
      journal.close();
    } catch (IOException | RuntimeException ignored) { // from a journal that could not be started
      System.err.println(ignored);
    }
  }

  private static int integer(JsonObject context, String name, int otherwise) {
    return context.has(name) ? context.get(name).getAsInt() : otherwise;
  }
}
