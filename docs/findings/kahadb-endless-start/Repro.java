import jakarta.jms.Connection;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
    bytes[batch + 16] ^= (byte) 0x80; // the sign bit of the batch size
    Files.write(journal, bytes);

    Thread starting = new Thread(() -> {
      try {
        start(folder);
      } catch (Exception failed) {
        System.err.println("start failed: " + failed);
      }
    });
    starting.start();
    starting.join(20_000);
    System.out.println(starting.isAlive() ? "still starting after 20 s" : "start returned");
    Runtime.getRuntime().halt(starting.isAlive() ? 1 : 0);
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
}
