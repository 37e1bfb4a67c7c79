import java.io.FileInputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import org.iq80.leveldb.impl.Iq80DBFactory;
import org.iq80.leveldb.impl.LogMonitor;
import org.iq80.leveldb.impl.LogMonitors;
import org.iq80.leveldb.impl.LogReader;
import org.iq80.leveldb.impl.LogWriter;
import org.iq80.leveldb.impl.Logs;
import org.iq80.leveldb.util.Slice;
import org.iq80.leveldb.util.Slices;
import walproof.adapterkit.Implementation;
import walproof.adapterkit.Protocol;

/** Drives the log reader and writer of iq80 leveldb, the port of LevelDB to Java. */
public final class Adapter implements Implementation {
  public static void main(String[] args) {
    Protocol.run(new Adapter(), args);
  }

  @Override
  public Description describe() {
    return new Description(
        "iq80-leveldb",
        Iq80DBFactory.VERSION,
        List.of("leveldb-log"),
        List.of("recover", "strict", "write"),
        List.of("records", "signals"),
        "https://github.com/dain/leveldb",
        "https://github.com/dain/leveldb/issues",
        true);
  }

  /** Reads as DbImpl.recoverLogFile reads a log, or (strict) as VersionSet.recover reads a manifest. */
  @Override
  public Answer read(Request request) throws IOException {
    Answer answer = new Answer();
    LogMonitor monitor =
        request.profile().equals("strict") ? LogMonitors.throwExceptionMonitor() : new Collector(answer);
    try (FileInputStream in = new FileInputStream(request.path().toFile());
        FileChannel channel = in.getChannel()) {
      LogReader reader = new LogReader(channel, monitor, true, 0);
      // getLastRecordOffset() is not reported as `at`: see README.md
      for (Slice record = reader.readRecord(); record != null; record = reader.readRecord()) {
        answer.release(record.getBytes());
      }
    } catch (RuntimeException thrown) { // from the monitor or the reader: DB.open fails with it
      answer.signal(thrown.toString());
    }
    return answer;
  }

  /** Writes with the writer of DbImpl, which is memory-mapped on 64-bit systems. */
  @Override
  public void write(Request request) throws IOException {
    LogWriter writer = Logs.createLogWriter(request.path().toFile(), 1);
    try {
      int count = 0;
      for (var record : request.records()) {
        writer.addRecord(Slices.wrappedBuffer(Request.payload(record)), request.acknowledge() != null);
        if (request.acknowledge() != null) {
          request.acknowledge().say(++count);
        }
      }
    } finally {
      writer.close();
    }
  }

  /** Acts like LogMonitors.logMonitor(), which DbImpl uses, but stores the messages. */
  private record Collector(Answer answer) implements LogMonitor {
    @Override
    public void corruption(long bytes, String reason) {
      answer.signal(String.format("corruption of %s bytes: %s", bytes, reason));
    }

    @Override
    public void corruption(long bytes, Throwable reason) {
      answer.signal(String.format("corruption of %s bytes: %s", bytes, reason));
    }
  }
}
