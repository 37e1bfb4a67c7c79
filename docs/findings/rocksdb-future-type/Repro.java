import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteOptions;

/** Puts a record of a type that only a later release writes into a log, and opens it with AbsoluteConsistency. */
public class Repro {
  public static void main(String[] arguments) throws Exception {
    RocksDB.loadLibrary();
    List<String> dropped = new ArrayList<>();
    for (int type : IntStream.range(12, 140).filter(type -> type != 130 && type != 131).toArray()) {
      String found = open(type);
      // Types from 128 on are to be ignored, those before are to be rejected.
      if (found.startsWith("[") && !found.equals("[key0, key1, key2, key3]")) {
        dropped.add(type + " " + found);
      }
    }
    System.out.println("types that end the log without an error: " + dropped);
    System.exit(dropped.isEmpty() ? 0 : 1);
  }

  /** Returns the keys of a killed database, or the error, after a record of this type was inserted as the second. */
  static String open(int type) throws Exception {
    Path made = Files.createTempDirectory("made"), left = Files.createTempDirectory("left");
    try (Options options = new Options().setCreateIfMissing(true);
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
      byte[] log = Files.readAllBytes(file), future = record((byte) type, "future".getBytes());
      int second = 7 + (log[4] & 0xff) + 256 * (log[5] & 0xff);
      ByteBuffer changed = ByteBuffer.allocate(log.length + future.length);
      changed.put(log, 0, second).put(future).put(log, second, log.length - second);
      Files.write(file, changed.array());
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

  /** Returns a physical record with a right checksum. */
  static byte[] record(byte type, byte[] data) {
    CRC32C crc = new CRC32C();
    crc.update(type);
    crc.update(data);
    int masked = Integer.rotateRight((int) crc.getValue(), 15) + 0xa282ead8;
    ByteBuffer record = ByteBuffer.allocate(7 + data.length).order(ByteOrder.LITTLE_ENDIAN);
    return record.putInt(masked).putShort((short) data.length).put(type).put(data).array();
  }
}
