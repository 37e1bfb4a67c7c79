import java.io.File;
import java.util.concurrent.atomic.AtomicInteger;
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
 * A broker's own store. {@code write FOLDER COUNT} stores messages, of which it acknowledges each third; {@code read
 * FOLDER} prints what a broker would deliver.
 */
public final class Store {
  private static final ActiveMQQueue QUEUE = new ActiveMQQueue("orders");

  public static void main(String[] args) throws Exception {
    KahaDBStore store = new KahaDBStore();
    store.setDirectory(new File(args[1]));
    store.setJournalMaxFileLength(32 * 1024);
    store.setPreallocationStrategy("sparse_file");
    store.setCleanupInterval(0);
    store.setConcurrentStoreAndDispatchQueues(false);
    store.start();
    MessageStore queue = store.createQueueMessageStore(QUEUE);
    if (args[0].equals("write")) {
      ConnectionContext context = new ConnectionContext();
      for (int number = 0; number < Integer.parseInt(args[2]); number++) {
        ActiveMQTextMessage message = new ActiveMQTextMessage();
        message.setMessageId(new MessageId("ID:host-1-1:1:1:" + (number + 1)));
        message.setDestination(QUEUE);
        message.setPersistent(true);
        // Only what is asked to be answered is on the disk when the call returns.
        message.setResponseRequired(true);
        message.setText("order " + number + " " + "x".repeat(200));
        queue.addMessage(context, message);
        if (number % 3 == 2) {
          MessageAck ack = new MessageAck(message, MessageAck.STANDARD_ACK_TYPE, 1);
          ack.setDestination(QUEUE);
          ack.setResponseRequired(true);
          ack.setLastMessageId(message.getMessageId());
          queue.removeMessage(context, ack);
        }
      }
      if (args.length > 3) {
        Runtime.getRuntime().halt(0); // as a broker that is killed
      }
    } else {
      queue.recoverNextMessages(100_000, new Printer());
    }
    store.stop();
    System.exit(0);
  }

  private static final class Printer implements MessageRecoveryListener {
    @Override
    public boolean recoverMessage(Message message) throws Exception {
      ActiveMQTextMessage text = (ActiveMQTextMessage) message;
      System.out.println(message.getMessageId() + " " + text.getText().split(" x")[0]);
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
