import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.DataInput;
import java.io.DataOutput;
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
import org.apache.activemq.command.ActiveMQDestination;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQTextMessage;
import org.apache.activemq.command.ActiveMQTopic;
import org.apache.activemq.command.Message;
import org.apache.activemq.command.MessageAck;
import org.apache.activemq.command.MessageId;
import org.apache.activemq.command.SubscriptionInfo;
import org.apache.activemq.command.XATransactionId;
import org.apache.activemq.store.MessageRecoveryListener;
import org.apache.activemq.store.MessageStore;
import org.apache.activemq.store.TopicMessageStore;
import org.apache.activemq.store.kahadb.KahaDBStore;
import org.apache.activemq.store.kahadb.KahaDBTransactionStore;
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
 * Opens KahaDB stores as a broker does. Each line of standard input is a request. {@code repair} starts the store with
 * the options for missing and corrupt journal files, {@code rebuild} also deletes its index.
 *
 * <p>Variants of message stores: {@code stopped}, {@code killed} (with the messages of a second queue), {@code killed
 * orders}, {@code waiting} (with a topic and transactions), {@code closed}, {@code acknowledged} (all but ten
 * messages), and {@code emptied} (a second queue is deleted, which leaves free pages). Variants of the store of
 * scheduled jobs: {@code scheduler}, {@code removed} (each third job), and {@code legacy}, as brokers before 5.11 write
 * it.
 */
public final class Store {
  private static final ActiveMQQueue QUEUE = new ActiveMQQueue("orders");
  private static final ActiveMQQueue EMPTIED = new ActiveMQQueue("emptied");
  private static final ActiveMQTopic NEWS = new ActiveMQTopic("news");
  private static final int MESSAGES = 300;
  private static final long DELAY_MS = 1_000_000_000L;

  public static void main(String[] args) throws Exception {
    Gson gson = new Gson();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null; ) {
      JsonObject request = gson.fromJson(line, JsonObject.class);
      String action = request.get("action").getAsString();
      Path folder = Path.of(request.get("folder").getAsString());
      String variant = request.get("variant").getAsString();
      boolean isScheduler = List.of("scheduler", "removed", "legacy").contains(variant);
      Map<String, Object> answer;
      try {
        Map<String, String> items = Map.of();
        if (action.equals("count")) {
          items = count(folder);
        } else if (!action.equals("write")) {
          items = isScheduler ? readJobs(folder, action) : readMessages(folder, action);
        } else {
          switch (variant) {
            case "scheduler", "removed" -> writeJobs(folder, variant.equals("removed"));
            case "legacy" -> writeLegacyJobs(folder);
            case "waiting" -> writeWaiting(folder);
            case "stopped", "killed" -> writeMessages(folder, variant.equals("killed"));
            default -> writeOrders(folder, variant);
          }
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

  /** Stores messages, and acknowledges one in every {@code each} messages. */
  private static void fill(KahaDBStore store, ActiveMQQueue destination, int each) throws Exception {
    MessageStore queue = store.createQueueMessageStore(destination);
    for (int number = 0; number < MESSAGES; number++) {
      Message message = add(queue, destination, "ID:host-" + each, number);
      if (number % each == each - 1) {
        acknowledge(queue, message);
      }
    }
  }

  private static void writeOrders(Path folder, String variant) throws Exception {
    Path busy = Path.of(folder + ".busy");
    KahaDBStore store = store(busy);
    store.start();
    MessageStore queue = store.createQueueMessageStore(QUEUE);
    queue.start();
    MessageStore second = store.createQueueMessageStore(EMPTIED);
    second.start();
    for (int number = 0; number < MESSAGES; number++) {
      Message message = add(queue, QUEUE, "ID:host-1", number);
      if (variant.equals("acknowledged") ? number >= 10 : number % 3 == 2) {
        acknowledge(queue, message);
      }
      if (variant.equals("emptied")) {
        add(second, EMPTIED, "ID:host-1", MESSAGES + number);
      }
    }
    if (variant.equals("killed orders")) {
      copy(busy, folder);
      store.stop();
      return;
    }
    if (variant.equals("emptied")) {
      second.removeAllMessages(new ConnectionContext());
    }
    store.stop();
    copy(busy, folder);
  }

  /** Writes queues, a topic whose subscriptions have acknowledged different messages, and transactions. */
  private static void writeWaiting(Path folder) throws Exception {
    Path busy = Path.of(folder + ".busy");
    KahaDBStore store = store(busy);
    store.start();
    ConnectionContext context = new ConnectionContext();
    MessageStore queue = store.createQueueMessageStore(QUEUE);
    queue.start();
    TopicMessageStore news = store.createTopicMessageStore(NEWS);
    news.start();
    add(news, NEWS, "ID:early", 0); // dropped, because nobody has subscribed yet
    for (String name : List.of("slow", "fast", "leaves")) {
      news.addSubscription(subscription(name), false);
    }
    for (int number = 0; number < 100; number++) {
      Message message = add(news, NEWS, "ID:news", number);
      acknowledge(news, "leaves", message, number % 2 == 0);
      acknowledge(news, "fast", message, number < 90);
      acknowledge(news, "slow", message, number < 40 && number % 4 == 0);
      Message order = add(queue, QUEUE, "ID:order", number);
      if (number % 5 == 0) {
        queue.updateMessage(order);
      }
      if (number % 10 == 0) {
        acknowledge(queue, order);
      }
    }
    news.addSubscription(subscription("late"), true);
    news.deleteSubscription("client", "leaves");
    add(news, NEWS, "ID:news", 100);
    KahaDBTransactionStore transactions = (KahaDBTransactionStore) store.createTransactionStore();
    transactions.start();
    MessageStore within = transactions.proxy(queue);
    for (String end : List.of("commit", "rollback", "prepare", "prepare commit")) {
      XATransactionId id = new XATransactionId();
      id.setFormatId(7);
      id.setGlobalTransactionId(end.getBytes(StandardCharsets.UTF_8));
      id.setBranchQualifier(new byte[] {1});
      for (int number = 0; number < 3; number++) {
        ActiveMQTextMessage message = message(QUEUE, "ID:" + end.replace(' ', '-'), number);
        message.setTransactionId(id);
        within.addMessage(context, message);
      }
      if (end.startsWith("prepare")) {
        transactions.prepare(id);
      }
      if (end.endsWith("commit")) {
        transactions.commit(id, end.startsWith("prepare"), null, null);
      } else if (end.equals("rollback")) {
        transactions.rollback(id);
      }
    }
    MessageStore gone = store.createQueueMessageStore(EMPTIED);
    add(gone, EMPTIED, "ID:gone", 0);
    store.removeQueueMessageStore(EMPTIED);
    gone.removeAllMessages(context);
    store.stop();
    copy(busy, folder);
  }

  private static SubscriptionInfo subscription(String name) {
    SubscriptionInfo info = new SubscriptionInfo("client", name);
    info.setDestination(NEWS);
    info.setSubscribedDestination(NEWS);
    return info;
  }

  private static void acknowledge(TopicMessageStore topic, String name, Message message, boolean is)
      throws Exception {
    if (is) {
      MessageAck ack = new MessageAck(message, MessageAck.INDIVIDUAL_ACK_TYPE, 1);
      ack.setLastMessageId(message.getMessageId());
      ack.setResponseRequired(true);
      topic.acknowledge(new ConnectionContext(), "client", name, message.getMessageId(), ack);
    }
  }

  /** Returns the number of waiting messages by queue, and by topic and subscription. */
  private static Map<String, String> count(Path folder) throws Exception {
    KahaDBStore store = store(folder);
    Map<String, String> items = new TreeMap<>();
    store.start();
    for (ActiveMQDestination destination : store.getDestinations()) {
      String name = destination.getQualifiedName();
      if (destination instanceof ActiveMQTopic topic) {
        TopicMessageStore messages = store.createTopicMessageStore(topic);
        for (SubscriptionInfo info : messages.getAllSubscriptions()) {
          int count = messages.getMessageCount(info.getClientId(), info.getSubscriptionName());
          items.put(name + " client:" + info.getSubscriptionName(), String.valueOf(count));
        }
      } else {
        MessageStore messages = store.createQueueMessageStore((ActiveMQQueue) destination);
        messages.start(); // counts the messages
        items.put(name, String.valueOf(messages.getMessageCount()));
      }
    }
    store.stop();
    return items;
  }

  private static ActiveMQTextMessage message(ActiveMQDestination to, String host, int number)
      throws Exception {
    ActiveMQTextMessage message = new ActiveMQTextMessage();
    message.setMessageId(new MessageId(host + "-1:1:1:" + (number + 1)));
    message.setDestination(to);
    message.setPersistent(true);
    message.setResponseRequired(true); // the call returns when the message is on the disk
    message.setText("order " + number + " " + "x".repeat(200));
    return message;
  }

  private static Message add(MessageStore queue, ActiveMQDestination destination, String host, int number)
      throws Exception {
    ActiveMQTextMessage message = message(destination, host, number);
    queue.addMessage(new ConnectionContext(), message);
    return message;
  }

  private static void acknowledge(MessageStore queue, Message message) throws Exception {
    MessageAck ack = new MessageAck(message, MessageAck.STANDARD_ACK_TYPE, 1);
    ack.setDestination(message.getDestination());
    ack.setResponseRequired(true);
    ack.setLastMessageId(message.getMessageId());
    queue.removeMessage(new ConnectionContext(), ack);
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
    store.setCheckpointInterval(10); // stopping waits for a checkpoint
    return store;
  }

  private static byte[] payload(int number) {
    return ("job " + number + " " + "x".repeat(200)).getBytes(StandardCharsets.UTF_8);
  }

  private static void writeJobs(Path folder, boolean isEachThirdRemoved) throws Exception {
    Path busy = Path.of(folder + ".busy");
    JobSchedulerStoreImpl store = scheduler(busy);
    store.start();
    JobScheduler jobs = store.getJobScheduler("JMS");
    for (int number = 0; number < MESSAGES; number++) {
      // Jobs with the same time leave free pages in the index.
      long delay = isEachThirdRemoved ? DELAY_MS + number : DELAY_MS;
      jobs.schedule("job-" + number, new ByteSequence(payload(number)), "", delay, 0, 0);
      if (isEachThirdRemoved && number % 3 == 2) {
        jobs.remove("job-" + number);
      }
    }
    store.stop();
    copy(busy, folder);
  }

  private static void writeLegacyJobs(Path folder) throws Exception {
    Files.createDirectories(folder);
    Journal journal = new Journal();
    journal.setDirectory(folder.toFile());
    journal.setMaxFileLength(32 * 1024);
    journal.start();
    PageFile pages = new PageFile(folder.toFile(), "scheduleDB");
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
              for (int number = 0; number < MESSAGES; number++) {
                Location location = journal.write(new ByteSequence(payload(number)), true);
                jobs.put(tx, now + DELAY_MS + number, location);
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

  /** Writes the jobs of one time, which is always one job here. */
  private static final class JobMarshaller extends Written<Location> {
    @Override
    public void writePayload(Location payload, DataOutput out) throws IOException {
      out.writeInt(1);
      out.writeUTF("job at " + payload);
      out.writeInt(0);
      long now = System.currentTimeMillis();
      out.writeLong(now);
      out.writeLong(DELAY_MS);
      out.writeLong(now + DELAY_MS);
      out.writeLong(0);
      out.writeUTF("");
      payload.writeExternal(out);
    }
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
        // stop() fails for a store that was never started.
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
        // stop() fails for a store that was never started.
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
