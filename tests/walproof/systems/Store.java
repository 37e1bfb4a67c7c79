import java.io.File;
import org.apache.activemq.broker.ConnectionContext;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQTextMessage;
import org.apache.activemq.command.Message;
import org.apache.activemq.command.MessageAck;
import org.apache.activemq.command.MessageId;
import org.apache.activemq.store.MessageRecoveryListener;
import org.apache.activemq.store.MessageStore;
import org.apache.activemq.store.kahadb.KahaDBStore;

/**
 * A broker's own store. {@code write FOLDER COUNT STATE} stores messages, of which it acknowledges each third: the
 * STATE is {@code killed}, {@code closed}, {@code acknowledged} (all but ten messages), or {@code emptied} (a second
 * queue is deleted, which leaves free pages). {@code read FOLDER ...} prints the messages of each folder.
 */
public final class Store {
  private static final ActiveMQQueue QUEUE = new ActiveMQQueue("orders");

  public static void main(String[] args) throws Exception {
    if (args[0].equals("write")) {
      write(new File(args[1]), Integer.parseInt(args[2]), args[3]);
    } else {
      for (int index = 1; index < args.length; index++) {
        System.out.println(args[index] + "\t" + read(new File(args[index])));
      }
    }
    System.exit(0);
  }

  private static KahaDBStore open(File folder) throws Exception {
    KahaDBStore store = new KahaDBStore();
    store.setDirectory(folder);
    store.setJournalMaxFileLength(32 * 1024);
    store.setPreallocationStrategy("sparse_file");
    store.setCleanupInterval(0);
    store.setConcurrentStoreAndDispatchQueues(false);
    store.start();
    return store;
  }

  private static MessageStore queue(KahaDBStore store, ActiveMQQueue name) throws Exception {
    MessageStore queue = store.createQueueMessageStore(name);
    queue.start();
    return queue;
  }

  private static void write(File folder, int count, String state) throws Exception {
    KahaDBStore store = open(folder);
    MessageStore queue = queue(store, QUEUE);
    ConnectionContext context = new ConnectionContext();
    ActiveMQQueue secondName = new ActiveMQQueue("returns");
    MessageStore second = queue(store, secondName);
    for (int number = 0; number < count; number++) {
      Message message = message(number, QUEUE);
      queue.addMessage(context, message);
      if (state.equals("acknowledged") ? number >= 10 : number % 3 == 2) {
        MessageAck ack = new MessageAck(message, MessageAck.STANDARD_ACK_TYPE, 1);
        ack.setDestination(QUEUE);
        ack.setResponseRequired(true);
        ack.setLastMessageId(message.getMessageId());
        queue.removeMessage(context, ack);
      }
      if (state.equals("emptied")) {
        second.addMessage(context, message(count + number, secondName));
      }
    }
    if (state.equals("emptied")) {
      second.removeAllMessages(context);
    }
    if (state.equals("killed")) {
      Runtime.getRuntime().halt(0);
    }
    store.stop();
  }

  private static Message message(int number, ActiveMQQueue queue) throws Exception {
    ActiveMQTextMessage message = new ActiveMQTextMessage();
    message.setMessageId(new MessageId("ID:host-1-1:1:1:" + (number + 1)));
    message.setDestination(queue);
    message.setPersistent(true);
    // Only a message that wants a response is on the disk when the call returns.
    message.setResponseRequired(true);
    message.setText("order " + number + " " + "x".repeat(200));
    return message;
  }

  private static String read(File folder) {
    Printer printer = new Printer();
    try {
      KahaDBStore store = open(folder);
      queue(store, QUEUE).recoverNextMessages(100_000, printer);
      store.stop();
    } catch (Exception error) {
      return "fails: " + error;
    }
    return printer.found.toString();
  }

  private static final class Printer implements MessageRecoveryListener {
    private final StringBuilder found = new StringBuilder();

    @Override
    public boolean recoverMessage(Message message) throws Exception {
      found.append(((ActiveMQTextMessage) message).getText().split(" ")[1]).append(' ');
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
