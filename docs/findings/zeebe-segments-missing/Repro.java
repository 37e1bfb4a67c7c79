import io.camunda.zeebe.journal.JournalMetaStore;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import io.camunda.zeebe.util.buffer.DirectBufferWriter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

public class Repro {
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("zeebe");
    JournalMetaStore metaStore = new JournalMetaStore.InMemory();
    try (SegmentedJournal journal = open(folder, metaStore)) {
      for (int n = 1; n <= 3; n++) {
        byte[] data = ("record " + n).getBytes();
        journal.append(n, new DirectBufferWriter().wrap(new UnsafeBuffer(data)));
      }
      journal.flush(); // all 3 records are durable now
    }

    Files.delete(folder.resolve("journal-1.log"));

    try (SegmentedJournal journal = open(folder, metaStore)) {
      System.out.println("opened: last flushed index " + metaStore.loadLastFlushedIndex()
          + ", last index " + journal.getLastIndex());
      System.exit(1);
    } catch (RuntimeException refused) {
      System.out.println("refused: " + refused.getMessage());
    }
  }

  static SegmentedJournal open(Path folder, JournalMetaStore metaStore) {
    return SegmentedJournal.builder(new SimpleMeterRegistry())
        .withDirectory(folder.toFile())
        .withName("journal")
        .withMaxSegmentSize(1024)
        .withFreeDiskSpace(0)
        .withMetaStore(metaStore)
        .build();
  }
}
