import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteOptions;

/** Flips one bit of a value of 100,000 bytes in the log and opens the database with SkipAnyCorruptedRecords. */
public class Repro {
  public static void main(String[] arguments) throws Exception {
    RocksDB.loadLibrary();
    Path made = Files.createTempDirectory("made"), left = Files.createTempDirectory("left");
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, made.toString());
        WriteOptions sync = new WriteOptions().setSync(true)) {
      for (String key : List.of("a", "b", "c", "d")) {
        db.put(sync, key.getBytes(), new byte[100000]);
      }
      try (var files = Files.newDirectoryStream(made)) {
        for (Path file : files) {
          Files.copy(file, left.resolve(file.getFileName()));
        }
      }
    }
    try (var logs = Files.newDirectoryStream(left, "*.log")) {
      Path file = logs.iterator().next();
      byte[] log = Files.readAllBytes(file);
      log[50000] ^= 1; // in the value of a
      Files.write(file, log);
    }
    String found;
    try (Options options = new Options().setWalRecoveryMode(WALRecoveryMode.SkipAnyCorruptedRecords);
        RocksDB db = RocksDB.open(options, left.toString());
        RocksIterator all = db.newIterator()) {
      List<String> keys = new ArrayList<>();
      for (all.seekToFirst(); all.isValid(); all.next()) {
        keys.add(new String(all.key()));
      }
      found = keys.toString();
    } catch (RocksDBException error) {
      found = error.getMessage();
    }
    System.out.println(found);
    System.exit(found.equals("[b, c, d]") ? 0 : 1);
  }
}
