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
      for (int n = 1; n <= 6; n++) {
        journal.append(n, new DirectBufferWriter().wrap(new UnsafeBuffer(("record " + n).getBytes())));
      }
      journal.flush();
      meta.storeLastFlushedIndex(journal.getLastIndex());
    }
    try (RandomAccessFile file = new RandomAccessFile(folder.resolve("journal-2.log").toFile(), "rw")) {
      file.seek(57); // the frame byte of the first record of the second segment
      file.write(0);
    }
    System.out.println("expected: an exception: 6 records were flushed");
    try (SegmentedJournal journal = open(folder, meta)) {
      System.out.println("actual:   " + count(journal) + " records, last index " + journal.getLastIndex());
    } catch (RuntimeException refused) {
      System.out.println("actual:   an exception: 6 records were flushed");
    }
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
