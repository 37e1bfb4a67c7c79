import io.camunda.zeebe.journal.JournalMetaStore;
import io.camunda.zeebe.journal.file.SegmentedJournal;
import io.camunda.zeebe.util.buffer.DirectBufferWriter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

public class Repro {
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("zeebe");
    JournalMetaStore metaStore = new JournalMetaStore.InMemory();
    try (SegmentedJournal journal = open(folder, metaStore)) {
      for (int n = 1; n <= 1; n++) {
        byte[] data = ("record " + n).getBytes();
        journal.append(n, new DirectBufferWriter().wrap(new UnsafeBuffer(data)));
      }
      journal.flush(); // all 1 records are durable now
    }

    Path log = folder.resolve("journal-1.log");
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.seek(70); // in the checksum of the record
      int old = file.read();
      file.seek(70);
      file.write(old ^ 1);
    }

    byte[] before = Files.readAllBytes(log);
    try (SegmentedJournal journal = open(folder, metaStore)) {
      System.out.println("opened");
    } catch (RuntimeException refused) {
      System.out.println("refused: " + refused.getMessage());
    }
    int at = Arrays.mismatch(before, Files.readAllBytes(log));
    System.out.println(at < 0 ? "file unchanged" : "byte " + at + " changed from " + before[at] + " to "
        + Files.readAllBytes(log)[at]);
    System.exit(at < 0 ? 0 : 1);
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
