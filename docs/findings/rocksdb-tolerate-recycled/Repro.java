import java.nio.charset.StandardCharsets;
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

/** Flips one bit of a key in a log and opens the database with TolerateCorruptedTailRecords. */
public class Repro {
  public static void main(String[] arguments) throws Exception {
    RocksDB.loadLibrary();
    String plain = open(0), recycled = open(1);
    System.out.println("recycle_log_file_num 0 when it was written: " + plain);
    System.out.println("recycle_log_file_num 1 when it was written: " + recycled);
    System.exit(recycled.startsWith("[") ? 1 : 0);
  }

  /** Returns the keys of a killed database, or the error, after a bit of its second key was flipped. */
  static String open(int recycled) throws Exception {
    Path made = Files.createTempDirectory("made"), left = Files.createTempDirectory("left");
    try (Options options = new Options().setCreateIfMissing(true).setRecycleLogFileNum(recycled);
        RocksDB db = RocksDB.open(options, made.toString());
        WriteOptions sync = new WriteOptions().setSync(true)) {
      for (int i = 0; i < 4; i++) {
        db.put(sync, ("key" + i).getBytes(), ("value" + i).getBytes());
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
      int key = new String(log, StandardCharsets.ISO_8859_1).indexOf("key1");
      log[key] ^= 1;
      Files.write(file, log);
    }
    List<String> keys = new ArrayList<>();
    try (Options options = new Options().setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords);
        RocksDB db = RocksDB.open(options, left.toString());
        RocksIterator all = db.newIterator()) {
      for (all.seekToFirst(); all.isValid(); all.next()) {
        keys.add(new String(all.key()));
      }
    } catch (RocksDBException error) {
      return error.getMessage();
    }
    return keys.toString();
  }
}
