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

/** Flips one bit in the second record of a log written with recycle_log_file_num, and opens with AbsoluteConsistency. */
public class Repro {
  public static void main(String[] arguments) throws Exception {
    RocksDB.loadLibrary();
    String key = open(6 + 11 + 12 + 2); // a bit of the key
    String number = open(7); // a bit of the log number, which the checksum covers, too
    System.out.println("bit of the key flipped: " + key);
    System.out.println("bit of the log number flipped: " + number);
    System.exit(number.startsWith("[") ? 1 : 0);
  }

  /** Returns the keys of a killed database, or the error, after a bit was flipped at an offset of the second record. */
  static String open(int offset) throws Exception {
    Path made = Files.createTempDirectory("made"), left = Files.createTempDirectory("left");
    try (Options options = new Options().setCreateIfMissing(true).setRecycleLogFileNum(1);
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
      int second = 11 + (log[4] & 0xff) + 256 * (log[5] & 0xff);
      log[second + offset] ^= 1;
      Files.write(file, log);
    }
    List<String> keys = new ArrayList<>();
    try (Options options = new Options().setWalRecoveryMode(WALRecoveryMode.AbsoluteConsistency);
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
