import java.io.File;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.iq80.leveldb.impl.LogMonitor;
import org.iq80.leveldb.impl.LogReader;
import org.iq80.leveldb.util.Slice;

public class Repro {
  public static void main(String[] arguments) throws Exception {
    Path log = Files.createTempFile("leveldb", ".log");
    Files.write(log, HexFormat.of().parseHex(
        "3af6d13e050001616c706861af786351050067627261766f785659d7070001636861726c6965"));
    List<String> found = new ArrayList<>();
    LogMonitor monitor = new LogMonitor() {
      @Override
      public void corruption(long bytes, String reason) {
        found.add("corruption");
      }

      @Override
      public void corruption(long bytes, Throwable reason) {
        found.add("corruption");
      }
    };
    try (FileChannel channel = FileChannel.open(log)) {
      LogReader reader = new LogReader(channel, monitor, true, 0);
      for (Slice record; (record = reader.readRecord()) != null; ) {
        found.add(new String(record.getBytes()));
      }
    } catch (RuntimeException thrown) {
      found.add(thrown.getClass().getSimpleName());
    }
    System.out.println("expected: [alpha, corruption, charlie]");
    System.out.println("actual:   " + found);
  }
}
