import io.camunda.zeebe.journal.JournalMetaStore;
import io.camunda.zeebe.journal.JournalReader;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import io.camunda.zeebe.util.buffer.DirectBufferWriter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

public class Repro {
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("zeebe");
    JournalMetaStore metaStore = new JournalMetaStore.InMemory();
    try (SegmentedJournal journal = open(folder, metaStore)) {
      for (int n = 1; n <= 6; n++) {
        byte[] data = ("record " + n).getBytes();
        journal.append(n, new DirectBufferWriter().wrap(new UnsafeBuffer(data)));
      }
      journal.flush(); // all 6 records are durable now
    }

    try (RandomAccessFile file =
        new RandomAccessFile(folder.resolve("journal-2.log").toFile(), "rw")) {
      file.seek(57); // the frame byte of the first record of the second segment
      file.write(0);
    }

    int records = 0;
    try (SegmentedJournal journal = open(folder, metaStore);
        JournalReader reader = journal.openReader()) {
      for (; reader.hasNext(); reader.next()) {
        records++;
      }
      System.out.println("lastIndex is " + journal.getLastIndex() + ", the reader returned " + records);
    } catch (RuntimeException refused) {
      System.out.println("refused: " + refused.getMessage());
      records = 6;
    }
    System.exit(records < 6 ? 1 : 0);
  }

  static SegmentedJournal open(Path folder, JournalMetaStore metaStore) {
    return SegmentedJournal.builder(new SimpleMeterRegistry())
        .withDirectory(folder.toFile())
        .withName("journal")
        .withMaxSegmentSize(200)
        .withFreeDiskSpace(0)
        .withMetaStore(metaStore)
        .build();
  }
}
