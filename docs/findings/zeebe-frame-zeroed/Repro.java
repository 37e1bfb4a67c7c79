import io.camunda.zeebe.journal.JournalMetaStore;
import io.camunda.zeebe.journal.JournalReader;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import io.camunda.zeebe.journal.file.SegmentedJournalBuilder;
import io.camunda.zeebe.util.buffer.DirectBufferWriter;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

public class Repro {
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("zeebe");
    JournalMetaStore meta = new JournalMetaStore.InMemory();
    try (SegmentedJournal journal = open(folder, meta)) {
      for (int n = 1; n <= 1; n++) {
        journal.append(n, new DirectBufferWriter().wrap(new UnsafeBuffer(("record " + n).getBytes())));
      }
      journal.flush();
      meta.storeLastFlushedIndex(journal.getLastIndex());
    }
    Path log = folder.resolve("journal-1.log");
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.seek(70); // in the checksum of the record
      int old = file.read();
      file.seek(70);
      file.write(old ^ 1);
    }
    byte[] before = Files.readAllBytes(log);
    String opened = "opening fails";
    try (SegmentedJournal journal = open(folder, meta)) {
      opened = "opened";
    } catch (RuntimeException refused) {
      // as it should: the record was flushed
    }
    int at = java.util.Arrays.mismatch(before, Files.readAllBytes(log));
    System.out.println("expected: opening fails, and the file is as it was");
    System.out.println("actual:   " + opened + ", and the file is " + (at < 0 ? "as it was" : "changed at byte " + at));
    System.exit(0);
  }

  static SegmentedJournalBuilder builder() throws Exception { // newer ones want a registry of meters
    for (var method : SegmentedJournal.class.getMethods()) {
      if (method.getName().equals("builder") && method.getParameterCount() == 0) {
        return (SegmentedJournalBuilder) method.invoke(null);
      }
      if (method.getName().equals("builder")) {
        Class<?> meters = Class.forName("io.micrometer.core.instrument.simple.SimpleMeterRegistry");
        return (SegmentedJournalBuilder) method.invoke(null, meters.getConstructor().newInstance());
      }
    }
    throw new AssertionError("no builder");
  }

  static SegmentedJournal open(Path folder, JournalMetaStore meta) throws Exception {
    return builder()
        .withDirectory(folder.toFile())
        .withName("journal")
        .withMaxSegmentSize(200)
        .withFreeDiskSpace(0)
        .withMetaStore(meta)
        .build();
  }

  static int count(SegmentedJournal journal) {
    int count = 0;
    try (JournalReader reader = journal.openReader()) {
      for (; reader.hasNext(); reader.next()) {
        count++;
      }
    }
    return count;
  }
}
