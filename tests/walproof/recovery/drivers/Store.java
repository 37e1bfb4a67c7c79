import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.activemq.broker.ConnectionContext;
import org.apache.activemq.broker.scheduler.Job;
import org.apache.activemq.broker.scheduler.JobScheduler;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQTextMessage;
import org.apache.activemq.command.Message;
import org.apache.activemq.command.MessageAck;
import org.apache.activemq.command.MessageId;
import org.apache.activemq.store.MessageRecoveryListener;
import org.apache.activemq.store.MessageStore;
import org.apache.activemq.store.kahadb.KahaDBStore;
import org.apache.activemq.store.kahadb.scheduler.JobSchedulerStoreImpl;
import org.apache.activemq.util.ByteSequence;

/**
 * Opens KahaDB stores as a broker does: a request per line of standard input. {@code repair} starts the store with the
 * options for missing and corrupt journal files, {@code rebuild} also without its index. The variant {@code scheduler}
 * is the store of scheduled jobs.
 */
public final class Store {
  private static final ActiveMQQueue QUEUE = new ActiveMQQueue("orders");
  private static final ActiveMQQueue EMPTIED = new ActiveMQQueue("emptied");
  private static final int MESSAGES = 300;

  public static void main(String[] args) throws Exception {
    Gson gson = new Gson();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null; ) {
      JsonObject request = gson.fromJson(line, JsonObject.class);
      String action = request.get("action").getAsString();
      Path folder = Path.of(request.get("folder").getAsString());
      String variant = request.get("variant").getAsString();
      boolean isScheduler = variant.equals("scheduler");
      Map<String, Object> answer;
      try {
        Map<String, String> items = Map.of();
        if (!action.equals("write")) {
          items = isScheduler ? readJobs(folder, action) : readMessages(folder, action);
        } else if (isScheduler) {
          writeJobs(folder);
        } else {
          writeMessages(folder, variant.equals("killed"));
        }
        answer = Map.of("items", items);
      } catch (Throwable refused) {
        answer = Map.of("refused", String.valueOf(refused));
      }
      System.out.println(gson.toJson(answer));
      System.out.flush();
    }
    Runtime.getRuntime().halt(0);
  }

  private static KahaDBStore store(Path folder) {
    KahaDBStore store = new KahaDBStore();
    store.setDirectory(folder.toFile());
    store.setJournalMaxFileLength(32 * 1024);
    store.setPreallocationStrategy("sparse_file");
    store.setCleanupInterval(0);
    store.setConcurrentStoreAndDispatchQueues(false);
    return store;
  }

  private static void writeMessages(Path folder, boolean isKilled) throws Exception {
    Path busy = Path.of(folder + ".busy");
    KahaDBStore store = store(busy);
    store.start();
    fill(store, EMPTIED, 1); // a queue without a message leaves free pages
    fill(store, QUEUE, 3);
    Files.createFile(busy.resolve("lock"));
    if (isKilled) {
      copy(busy, folder);
      store.stop();
    } else {
      store.createQueueMessageStore(EMPTIED).removeAllMessages(new ConnectionContext());
      store.stop();
      copy(busy, folder);
    }
  }

  /** Stores messages and acknowledges one of {@code each}. */
  private static void fill(KahaDBStore store, ActiveMQQueue destination, int each) throws Exception {
    MessageStore queue = store.createQueueMessageStore(destination);
    ConnectionContext context = new ConnectionContext();
    for (int number = 0; number < MESSAGES; number++) {
      ActiveMQTextMessage message = new ActiveMQTextMessage();
      message.setMessageId(new MessageId("ID:host-" + each + "-1:1:1:" + (number + 1)));
      message.setDestination(destination);
      message.setPersistent(true);
      message.setResponseRequired(true); // the call returns when the message is on the disk
      message.setText("order " + number + " " + "x".repeat(200));
      queue.addMessage(context, message);
      if (number % each == each - 1) {
        MessageAck ack = new MessageAck(message, MessageAck.STANDARD_ACK_TYPE, 1);
        ack.setDestination(destination);
        ack.setResponseRequired(true);
        ack.setLastMessageId(message.getMessageId());
        queue.removeMessage(context, ack);
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (File file : List.of(from.toFile().listFiles())) {
      Files.copy(file.toPath(), to.resolve(file.getName()));
    }
  }

  private static JobSchedulerStoreImpl scheduler(Path folder) {
    JobSchedulerStoreImpl store = new JobSchedulerStoreImpl();
    store.setDirectory(folder.toFile());
    store.setJournalMaxFileLength(32 * 1024);
    store.setCleanupInterval(0);
    store.setCheckpointInterval(10); // stopping waits for one
    return store;
  }

  private static void writeJobs(Path folder) throws Exception {
    Path busy = Path.of(folder + ".busy");
    JobSchedulerStoreImpl store = scheduler(busy);
    store.start();
    JobScheduler jobs = store.getJobScheduler("JMS");
    for (int number = 0; number < MESSAGES; number++) {
      byte[] payload = ("job " + number + " " + "x".repeat(200)).getBytes(StandardCharsets.UTF_8);
      jobs.schedule("job-" + number, new ByteSequence(payload), "", 1_000_000_000L, 0, 0);
    }
    store.stop();
    copy(busy, folder);
  }

  private static Map<String, String> readJobs(Path folder, String action) throws Exception {
    if (action.equals("rebuild")) {
      for (String name : List.of("scheduleDB.data", "scheduleDB.redo", "scheduleDB.free")) {
        Files.deleteIfExists(folder.resolve(name));
      }
    }
    JobSchedulerStoreImpl store = scheduler(folder);
    if (!action.equals("open")) {
      store.setIgnoreMissingJournalfiles(true);
      store.setCheckForCorruptJournalFiles(true);
    }
    Map<String, String> items = new TreeMap<>();
    try {
      store.start();
      for (Job job : store.getJobScheduler("JMS").getAllJobs()) {
        items.put(job.getJobId(), new String(job.getPayload(), StandardCharsets.ISO_8859_1));
      }
    } finally {
      try {
        store.stop();
      } catch (Exception ignored) {
        // A store that did not start may not stop.
      }
    }
    return items;
  }

  private static Map<String, String> readMessages(Path folder, String action) throws Exception {
    if (action.equals("rebuild")) {
      for (String name : List.of("db.data", "db.redo", "db.free")) {
        Files.deleteIfExists(folder.resolve(name));
      }
    }
    KahaDBStore store = store(folder);
    if (!action.equals("open")) {
      store.setIgnoreMissingJournalfiles(true);
      store.setCheckForCorruptJournalFiles(true);
    }
    Map<String, String> items = new TreeMap<>();
    try {
      store.start();
      MessageStore queue = store.createQueueMessageStore(QUEUE);
      queue.recoverNextMessages(100_000, new Listener(items));
    } finally {
      try {
        store.stop();
      } catch (Exception ignored) {
        // A store that did not start may not stop.
      }
    }
    return items;
  }

  private record Listener(Map<String, String> items) implements MessageRecoveryListener {
    @Override
    public boolean recoverMessage(Message message) throws Exception {
      items.put(message.getMessageId().toString(), ((ActiveMQTextMessage) message).getText());
      return true;
    }

    @Override
    public boolean recoverMessageReference(MessageId reference) {
      return true;
    }

    @Override
    public boolean hasSpace() {
      return true;
    }

    @Override
    public boolean isDuplicate(MessageId reference) {
      return false;
    }
  }
}
