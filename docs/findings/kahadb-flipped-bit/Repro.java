import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.ConnectionContext;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQTextMessage;
import org.apache.activemq.command.Message;
import org.apache.activemq.command.MessageId;
import org.apache.activemq.store.MessageRecoveryListener;
import org.apache.activemq.store.kahadb.KahaDBStore;

/** A message whose checksum does not match is delivered, with all options as they come. */
public class Repro {
  static final ActiveMQQueue QUEUE = new ActiveMQQueue("payments");

  public static void main(String[] args) throws Exception {
    File folder = Files.createTempDirectory("kahadb-").toFile();
    KahaDBStore store = open(folder);
    for (int number = 0; number < 40; number++) {
      ActiveMQTextMessage message = new ActiveMQTextMessage();
      message.setMessageId(new MessageId("ID:host-1-1:1:1:" + number));
      message.setDestination(QUEUE);
      message.setPersistent(true);
      message.setResponseRequired(true);
      message.setText("payment " + (100 + number) + " euros, " + "x".repeat(100));
      store.createQueueMessageStore(QUEUE).addMessage(new ConnectionContext(), message);
    }
    store.stop();

    Path file = folder.toPath().resolve("db-1.log"); // one bit of the disk flips: 101 becomes 901
    byte[] bytes = Files.readAllBytes(file);
    int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("payment 101") + "payment ".length();
    bytes[at] ^= 8;
    Files.write(file, bytes);
    Files.delete(folder.toPath().resolve("db.data")); // the index is made anew of the journal
    Files.delete(folder.toPath().resolve("db.redo"));

    store = open(folder);
    System.out.println("expected: payment 101 is delivered as it was sent, or not at all");
    store.createQueueMessageStore(QUEUE).recover(new Printer());
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  static KahaDBStore open(File folder) throws Exception {
    KahaDBStore store = new KahaDBStore();
    store.setDirectory(folder);
    store.setJournalMaxFileLength(4096); // so that the message is not in the last file
    store.setBrokerService(new BrokerService());
    store.start();
    return store;
  }

  static class Printer implements MessageRecoveryListener {
    public boolean recoverMessage(Message message) throws Exception {
      String text = ((ActiveMQTextMessage) message).getText();
      if (message.getMessageId().toString().endsWith(":1")) {
        System.out.println("actual:   message 1 is delivered as: " + text.substring(0, 17));
      }
      return true;
    }

    public boolean recoverMessageReference(MessageId reference) {
      return true;
    }

    public boolean hasSpace() {
      return true;
    }

    public boolean isDuplicate(MessageId reference) {
      return false;
    }
  }
}
