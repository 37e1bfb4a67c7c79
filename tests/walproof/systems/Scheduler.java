import java.io.DataInput;
import java.io.DataOutput;
import java.io.File;
import java.io.IOException;
import org.apache.activemq.broker.scheduler.Job;
import org.apache.activemq.broker.scheduler.JobScheduler;
import org.apache.activemq.store.kahadb.disk.index.BTreeIndex;
import org.apache.activemq.store.kahadb.disk.journal.Journal;
import org.apache.activemq.store.kahadb.disk.journal.Location;
import org.apache.activemq.store.kahadb.disk.page.Page;
import org.apache.activemq.store.kahadb.disk.page.PageFile;
import org.apache.activemq.store.kahadb.disk.util.IntegerMarshaller;
import org.apache.activemq.store.kahadb.disk.util.LongMarshaller;
import org.apache.activemq.store.kahadb.disk.util.StringMarshaller;
import org.apache.activemq.store.kahadb.disk.util.VariableMarshaller;
import org.apache.activemq.store.kahadb.scheduler.JobSchedulerStoreImpl;
import org.apache.activemq.util.ByteSequence;

/**
 * A broker's scheduler store. {@code write FOLDER COUNT} schedules jobs, of which it removes each third; {@code legacy
 * FOLDER COUNT} writes a store as brokers before 5.11 do; {@code read FOLDER ...} prints the jobs of each folder.
 */
public final class Scheduler {
  private static final long DAY_MS = 86_400_000L;

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "write" -> write(new File(args[1]), Integer.parseInt(args[2]));
      case "legacy" -> writeLegacy(new File(args[1]), Integer.parseInt(args[2]));
      default -> {
        for (int index = 1; index < args.length; index++) {
          System.out.println(args[index] + "\t" + read(new File(args[index])));
        }
      }
    }
    System.exit(0);
  }

  private static JobSchedulerStoreImpl open(File folder) throws Exception {
    JobSchedulerStoreImpl store = new JobSchedulerStoreImpl();
    store.setDirectory(folder);
    store.setJournalMaxFileLength(32 * 1024);
    store.start();
    return store;
  }

  private static byte[] payload(int number) {
    return ("order " + number + " " + "x".repeat(200)).getBytes();
  }

  private static void write(File folder, int count) throws Exception {
    JobSchedulerStoreImpl store = open(folder);
    JobScheduler scheduler = store.getJobScheduler("JMS");
    for (int number = 0; number < count; number++) {
      scheduler.schedule("job " + number, new ByteSequence(payload(number)), "", DAY_MS + number, 0, 0);
      if (number % 3 == 2) {
        scheduler.remove("job " + number);
      }
    }
    store.stop();
  }

  private static String read(File folder) {
    StringBuilder found = new StringBuilder();
    try {
      JobSchedulerStoreImpl store = open(folder);
      for (Job job : store.getJobScheduler("JMS").getAllJobs()) {
        found.append(new String(job.getPayload()).split(" ")[1]).append(' ');
      }
      store.stop();
    } catch (Exception error) {
      return "fails: " + error;
    }
    return found.toString();
  }

  private static void writeLegacy(File folder, int count) throws Exception {
    folder.mkdirs();
    Journal journal = new Journal();
    journal.setDirectory(folder);
    journal.setMaxFileLength(32 * 1024);
    journal.start();
    PageFile pages = new PageFile(folder, "scheduleDB");
    pages.load();
    pages
        .tx()
        .execute(
            tx -> {
              Page<long[]> first = tx.allocate();
              BTreeIndex<String, Long> schedulers = new BTreeIndex<>(pages, tx.allocate().getPageId());
              BTreeIndex<Integer, Integer> references = new BTreeIndex<>(pages, tx.allocate().getPageId());
              BTreeIndex<Long, Location> jobs = new BTreeIndex<>(pages, tx.allocate().getPageId());
              schedulers.setKeyMarshaller(StringMarshaller.INSTANCE);
              schedulers.setValueMarshaller(new SchedulerMarshaller());
              schedulers.load(tx);
              references.setKeyMarshaller(IntegerMarshaller.INSTANCE);
              references.setValueMarshaller(IntegerMarshaller.INSTANCE);
              references.load(tx);
              jobs.setKeyMarshaller(LongMarshaller.INSTANCE);
              jobs.setValueMarshaller(new JobMarshaller());
              jobs.load(tx);
              schedulers.put(tx, "JMS", jobs.getPageId());
              long now = System.currentTimeMillis();
              for (int number = 0; number < count; number++) {
                Location location = journal.write(new ByteSequence(payload(number)), true);
                jobs.put(tx, now + DAY_MS + number, location);
              }
              first.set(new long[] {schedulers.getPageId(), references.getPageId()});
              tx.store(first, new RootsMarshaller(), true);
            });
    pages.flush();
    pages.unload();
    journal.close();
  }

  private abstract static class Written<T> extends VariableMarshaller<T> {
    @Override
    public T readPayload(DataInput in) throws IOException {
      throw new IOException("only written");
    }
  }

  private static final class RootsMarshaller extends Written<long[]> {
    @Override
    public void writePayload(long[] roots, DataOutput out) throws IOException {
      out.writeLong(roots[0]);
      out.writeLong(roots[1]);
    }
  }

  private static final class SchedulerMarshaller extends Written<Long> {
    @Override
    public void writePayload(Long root, DataOutput out) throws IOException {
      out.writeUTF("JMS");
      out.writeLong(root);
    }
  }

  /** The jobs of one time: here always one. */
  private static final class JobMarshaller extends Written<Location> {
    @Override
    public void writePayload(Location payload, DataOutput out) throws IOException {
      out.writeInt(1);
      out.writeUTF("job at " + payload);
      out.writeInt(0);
      long now = System.currentTimeMillis();
      out.writeLong(now);
      out.writeLong(DAY_MS);
      out.writeLong(now + DAY_MS);
      out.writeLong(0);
      out.writeUTF("");
      payload.writeExternal(out);
    }
  }
}
