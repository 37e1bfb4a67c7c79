import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteOptions;
import org.iq80.leveldb.impl.Iq80DBFactory;

public class Repro {
  public static void main(String[] arguments) throws Exception {
    File folder = Files.createTempDirectory("leveldb").toFile();
    try (DB db = Iq80DBFactory.factory.open(folder, new Options())) {
      for (int n = 0; n < 4; n++) {
        db.put(("key" + n).getBytes(), ("value" + n).getBytes(), new WriteOptions().sync(true));
      }
    }

    Path log = folder.toPath().resolve("000003.log");
    byte[] bytes = Files.readAllBytes(log);
    int second = 7 + bytes[4]; // offset of the second record
    Arrays.fill(bytes, second, second + 7, (byte) 0); // its header
    Files.write(log, bytes);

    int missing = 0;
    try (DB db = Iq80DBFactory.factory.open(folder, new Options().paranoidChecks(true))) {
      System.out.println("open: OK");
      for (int n = 0; n < 4; n++) {
        byte[] value = db.get(("key" + n).getBytes());
        System.out.println("key" + n + ": " + (value == null ? "not found" : new String(value)));
        missing += value == null ? 1 : 0;
      }
    }
    System.exit(missing > 0 ? 1 : 0);
  }
}
