import jakarta.jms.Connection;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;

public class Repro {
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("activemq");
    BrokerService broker = start(folder);
    try (Connection connection = connect()) {
      Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      MessageProducer producer = session.createProducer(session.createQueue("payments"));
      for (int n = 100; n < 140; n++) {
        producer.send(session.createTextMessage("payment " + n));
      }
    }
    broker.stop();
    broker.waitUntilStopped();

    Path journal = folder.resolve("localhost/KahaDB/db-1.log");
    byte[] bytes = Files.readAllBytes(journal);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int batch = text.lastIndexOf("WRITE BATCH", text.indexOf("payment 101")) - 5;
    bytes[batch + 17] ^= 0x10; // one bit of the batch size, which follows the 16-byte header
    Files.write(journal, bytes);

    start(folder);
    List<String> received = receive();
    System.out.println("received " + received.size() + " of 40 messages");
    System.exit(received.size() < 39 ? 1 : 0);
  }

  static BrokerService start(Path folder) throws Exception {
    BrokerService broker = new BrokerService(); // the default configuration stores in KahaDB
    broker.setUseJmx(false);
    broker.setDataDirectory(folder.toString());
    broker.start();
    broker.waitUntilStarted();
    return broker;
  }

  static Connection connect() throws Exception {
    Connection connection =
        new ActiveMQConnectionFactory("vm://localhost?create=false").createConnection();
    connection.start();
    return connection;
  }

  static List<String> receive() throws Exception {
    List<String> received = new ArrayList<>();
    try (Connection connection = connect()) {
      Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      MessageConsumer consumer = session.createConsumer(session.createQueue("payments"));
      for (Message message; (message = consumer.receive(2000)) != null; ) {
        received.add(((TextMessage) message).getText());
      }
    }
    return received;
  }
}
