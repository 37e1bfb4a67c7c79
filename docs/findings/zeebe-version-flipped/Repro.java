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
      for (int n = 1; n <= 3; n++) {
        journal.append(n, new DirectBufferWriter().wrap(new UnsafeBuffer(("record " + n).getBytes())));
      }
    }
    try (RandomAccessFile file = new RandomAccessFile(folder.resolve("journal-1.log").toFile(), "rw")) {
      int version = file.read();
      file.seek(0);
      file.write(version ^ 1); // one bit: a descriptor of version 3
    }
    System.out.println("expected: opening fails, and journal-1.log is as it was");
    try (SegmentedJournal journal = open(folder, new JournalMetaStore.InMemory())) {
      System.out.println("actual:   opened, with " + count(journal) + " records");
    } catch (RuntimeException refused) {
      System.out.println("actual:   opening fails, and journal-1.log is as it was");
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
