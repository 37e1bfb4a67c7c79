import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.ConnectionContext;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQTextMessage;
import org.apache.activemq.command.Message;
import org.apache.activemq.command.MessageAck;
import org.apache.activemq.command.MessageId;
import org.apache.activemq.store.MessageRecoveryListener;
import org.apache.activemq.store.MessageStore;
import org.apache.activemq.store.kahadb.KahaDBStore;
import org.apache.activemq.util.DefaultIOExceptionHandler;

/**
 * The store of a broker. {@code MODE FOLDER LOG} copies the journal in the folder LOG to FOLDER and opens it in a mode,
 * with an index from before the damage or, in most modes, without an index; ../opener/opener.py describes the output.
 * {@code write FOLDER} creates the journal from which the damaged journals are made.
 */
public final class Store {
  private static final ActiveMQQueue QUEUE = new ActiveMQQueue("orders");
  private static final int MESSAGES = 36;
  private static final int FILE = 4 * 1024;

  public static void main(String[] args) throws Exception {
    File folder = new File(args[1]);
    Path words = Path.of(args[1] + ".words");
    System.setProperty("org.slf4j.simpleLogger.logFile", words.toString());
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    if (args[0].equals("write")) {
      write(folder);
      Runtime.getRuntime().halt(0); // as a broker that is killed
    }
    long before = 0; // lines that were written before the damage
    if (args[0].startsWith("index")) {
      index(Path.of(args[2]), folder);
      before = Files.exists(words) ? Files.readAllLines(words).size() : 0;
    } else {
      copy(Path.of(args[2]), folder.toPath());
    }
    String refused = null;
    try {
      twice(args[0], folder);
    } catch (Throwable thrown) {
      refused = thrown.toString();
    }
    try (Stream<String> lines = Files.exists(words) ? Files.lines(words) : Stream.empty()) {
      lines.skip(before).filter(line -> line.contains(" WARN ") || line.contains(" ERROR "))
          .forEach(line -> print("said", line.replaceFirst("^\\[.*?\\] ", "")));
    }
    if (refused != null) {
      print("refused", refused);
    }
    System.out.flush();
    Runtime.getRuntime().halt(0); // a failed store may leave threads running
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  /**
   * Makes an index of the undamaged journal, which is next to LOG as {@code control}, and stops as a broker does. Then
   * applies the damage: replaces the content of each damaged file, but keeps the bytes that the store has appended
   * since.
   */
  private static void index(Path log, File folder) throws Exception {
    Path control = log.resolveSibling("control");
    copy(control, folder.toPath());
    open("default", folder).stop();
    try (Stream<Path> files = Files.list(control)) {
      for (Path before : files.toList()) {
        String name = before.getFileName().toString();
        Path here = folder.toPath().resolve(name);
        byte[] was = Files.readAllBytes(before);
        if (!Files.exists(log.resolve(name))) {
          Files.deleteIfExists(here);
          continue;
        }
        byte[] damaged = Files.readAllBytes(log.resolve(name));
        if (!Arrays.equals(damaged, was)) {
          byte[] now = Files.readAllBytes(here);
          boolean isLonger = damaged.length == was.length && now.length > was.length;
          byte[] after = isLonger ? Arrays.copyOfRange(now, was.length, now.length) : new byte[0];
          byte[] whole = Arrays.copyOf(damaged, damaged.length + after.length);
          System.arraycopy(after, 0, whole, damaged.length, after.length);
          Files.write(here, whole);
        }
      }
    }
  }

  private static void twice(String mode, File folder) throws Exception {
    KahaDBStore store = open(mode, folder);
    recover(store, "item");
    add(store.createQueueMessageStore(QUEUE), "more", "written after the damage");
    store.stop();
    System.out.println("{\"again\": true}");
    store = open(mode, folder);
    recover(store, "later");
    store.stop();
  }

  private static KahaDBStore open(String mode, File folder) throws Exception {
    KahaDBStore store = new KahaDBStore();
    store.setDirectory(folder);
    store.setJournalMaxFileLength(FILE);
    store.setPreallocationScope("none");
    store.setCleanupInterval(0);
    store.setConcurrentStoreAndDispatchQueues(false);
    store.setCheckForCorruptJournalFiles(mode.contains("check"));
    store.setIgnoreMissingJournalfiles(mode.endsWith("ignore"));
    BrokerService broker = new BrokerService();
    broker.setIoExceptionHandler(new Rethrowing());
    store.setBrokerService(broker);
    store.start();
    return store;
  }

  private static void write(File folder) throws Exception {
    KahaDBStore store = open("default", folder);
    MessageStore queue = store.createQueueMessageStore(QUEUE);
    for (int number = 0; number < MESSAGES; number++) {
      ActiveMQTextMessage message = add(queue, Integer.toString(number), "order %02d %s".formatted(number, "x".repeat(40 + number)));
      if (number % 4 == 1) {
        MessageAck ack = new MessageAck(message, MessageAck.STANDARD_ACK_TYPE, 1);
        ack.setDestination(QUEUE);
        ack.setResponseRequired(true);
        ack.setLastMessageId(message.getMessageId());
        queue.removeMessage(new ConnectionContext(), ack);
      }
    }
  }

  private static ActiveMQTextMessage add(MessageStore queue, String number, String text) throws Exception {
    ActiveMQTextMessage message = new ActiveMQTextMessage();
    message.setMessageId(new MessageId("ID:host-1-1:1:1:" + (number.equals("more") ? "99" : number)));
    message.setDestination(QUEUE);
    message.setPersistent(true);
    message.setResponseRequired(true); // then the message is on the disk when the call returns
    message.setText(text);
    queue.addMessage(new ConnectionContext(), message);
    return message;
  }

  /** Prints the messages that the store would deliver, up to the first exception. */
  private static void recover(KahaDBStore store, String kind) {
    try {
      store.createQueueMessageStore(QUEUE).recover(new Printer(kind));
    } catch (Exception thrown) {
      print("said", thrown.toString());
    }
  }

  private record Printer(String kind) implements MessageRecoveryListener {
    @Override
    public boolean recoverMessage(Message message) throws Exception {
      String text;
      try {
        text = ((ActiveMQTextMessage) message).getText();
      } catch (Exception unreadable) { // a consumer of the message would get this exception
        text = unreadable.toString();
      }
      System.out.printf("{\"%s\": [\"%s\", \"%s\"]}%n", kind, hex(message.getMessageId().toString()), hex(text));
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

  /** Prints an exception where a broker would stop; the store then fails with an exception of its own. */
  private static final class Rethrowing extends DefaultIOExceptionHandler {
    @Override
    public void handle(IOException exception) {
      print("said", exception.toString());
    }
  }

  private static void print(String key, String text) {
    StringBuilder line = new StringBuilder("{\"" + key + "\": \"");
    for (char c : text.toCharArray()) {
      line.append(c < ' ' || c == '"' || c == '\\' || c > '~' ? "\\u%04x".formatted((int) c) : Character.toString(c));
    }
    System.out.println(line.append("\"}"));
  }

  private static String hex(String text) throws IOException {
    return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
  }
}
