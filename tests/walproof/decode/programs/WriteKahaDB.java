import com.google.gson.GsonBuilder;
import jakarta.jms.JMSException;
import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.ConnectionContext;
import org.apache.activemq.broker.scheduler.JobScheduler;
import org.apache.activemq.command.ActiveMQBlobMessage;
import org.apache.activemq.command.ActiveMQBytesMessage;
import org.apache.activemq.command.ActiveMQDestination;
import org.apache.activemq.command.ActiveMQMapMessage;
import org.apache.activemq.command.ActiveMQMessage;
import org.apache.activemq.command.ActiveMQObjectMessage;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQStreamMessage;
import org.apache.activemq.command.ActiveMQTextMessage;
import org.apache.activemq.command.ActiveMQTopic;
import org.apache.activemq.command.BrokerId;
import org.apache.activemq.command.ConnectionId;
import org.apache.activemq.command.ConsumerId;
import org.apache.activemq.command.LocalTransactionId;
import org.apache.activemq.command.MessageAck;
import org.apache.activemq.command.MessageId;
import org.apache.activemq.command.SessionId;
import org.apache.activemq.command.SubscriptionInfo;
import org.apache.activemq.command.TransactionId;
import org.apache.activemq.command.XATransactionId;
import org.apache.activemq.openwire.OpenWireFormat;
import org.apache.activemq.store.MessageStore;
import org.apache.activemq.store.TopicMessageStore;
import org.apache.activemq.store.TransactionStore;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;
import org.apache.activemq.store.kahadb.KahaDBTransactionStore;
import org.apache.activemq.store.kahadb.scheduler.JobSchedulerStoreImpl;
import org.apache.activemq.util.ByteSequence;

/**
 * Writes journals through ActiveMQ's persistence adapter, and prints their messages as the API returns them.
 *
 * <p>{@code WriteKahaDB FOLDER VERSION…} writes a journal to a separate folder for each version of OpenWire, and one
 * journal of the scheduler.
 */
public final class WriteKahaDB {
    private static final ActiveMQQueue ORDERS = new ActiveMQQueue("orders");
    private static final ActiveMQTopic NEWS = new ActiveMQTopic("news.Zürich");
    private static final List<Map<String, Object>> written = new ArrayList<>();
    private static int number = 0;

    public static void main(String[] words) throws Exception {
        Map<String, Object> all = new LinkedHashMap<>();
        for (int n = 1; n < words.length; n++) {
            written.clear();
            number = 0;
            store(new File(words[0], words[n]), Integer.parseInt(words[n]));
            all.put(words[n], new ArrayList<>(written));
        }
        schedule(new File(words[0], "scheduler"));
        System.out.println(new GsonBuilder().serializeNulls().create().toJson(all));
        System.exit(0);
    }

    private static void store(File folder, int version) throws Exception {
        BrokerService broker = new BrokerService();
        broker.setStoreOpenWireVersion(version);
        broker.setUseJmx(false);
        KahaDBPersistenceAdapter adapter = new KahaDBPersistenceAdapter();
        adapter.setBrokerService(broker);
        adapter.setDirectory(folder);
        adapter.setJournalMaxFileLength(1 << 20);
        adapter.setCleanupInterval(0);
        adapter.setCheckpointInterval(0);
        adapter.start();

        ConnectionContext context = new ConnectionContext();
        MessageStore orders = adapter.createQueueMessageStore(ORDERS);
        orders.start();
        for (boolean compressed : new boolean[] {false, true}) {
            for (ActiveMQMessage message : messages()) {
                // OpenWire has messages about blobs from version 3.
                if (version > 2 || !(message instanceof ActiveMQBlobMessage)) {
                    add(context, orders, message, compressed, null);
                }
            }
        }
        MessageId first = new MessageId((String) written.get(0).get("message_id"));
        ActiveMQTextMessage updated = text("updated");
        updated.setMessageId(first);
        updated.setProducerId(first.getProducerId());
        updated.setDestination(ORDERS);
        updated.onSend();
        orders.updateMessage(updated);
        MessageAck ack = new MessageAck();
        ack.setDestination(ORDERS);
        ack.setConsumerId(new ConsumerId(new SessionId(new ConnectionId("ID:here"), 1), 2));
        ack.setAckType(MessageAck.INDIVIDUAL_ACK_TYPE);
        ack.setLastMessageId(first);
        ack.setMessageCount(1);
        ack.setPoisonCause(version < 7 ? null : new IllegalStateException("poison"));
        orders.removeMessage(context, ack);

        TopicMessageStore news = adapter.createTopicMessageStore(NEWS);
        news.start();
        SubscriptionInfo info = new SubscriptionInfo("client", "reader");
        info.setDestination(NEWS);
        info.setSubscribedDestination(new ActiveMQTopic("news.>"));
        info.setSelector("colour = 'blue'");
        info.setNoLocal(true);
        news.addSubscription(info, false);
        news.deleteSubscription("client", "reader");

        TransactionStore transactions = adapter.createTransactionStore();
        transactions.start();
        MessageStore within = ((KahaDBTransactionStore) transactions).proxy(orders);
        TransactionId local = new LocalTransactionId(new ConnectionId("ID:there"), 77);
        add(context, within, text("in a transaction"), false, local);
        transactions.commit(local, false, null, null);
        XATransactionId xa = new XATransactionId();
        xa.setFormatId(-5);
        xa.setGlobalTransactionId(new byte[] {1, 2});
        xa.setBranchQualifier(new byte[] {(byte) 0xff});
        add(context, within, text("in an XA transaction"), false, xa);
        transactions.prepare(xa);
        transactions.rollback(xa);
        orders.removeAllMessages(context);
        adapter.stop();
    }

    private static void schedule(File folder) throws Exception {
        JobSchedulerStoreImpl store = new JobSchedulerStoreImpl();
        store.setDirectory(folder);
        store.setJournalMaxFileLength(1 << 20);
        store.start();
        JobScheduler scheduler = store.getJobScheduler("JMS");
        ActiveMQTextMessage message = text("later");
        message.setMessageId(new MessageId("ID:walproof-1:0:1:1"));
        message.setDestination(ORDERS);
        message.onSend();
        ByteSequence packet = new OpenWireFormat().marshal(message);
        scheduler.schedule("job-1", packet, "0 12 * * *", 1000, 2000, 3);
        scheduler.remove("job-1");
        scheduler.schedule("job-2", packet, "", 1000, 2000, 3);
        scheduler.removeAllJobs(5, Long.MAX_VALUE);
        store.removeJobScheduler("JMS");
        store.stop();
    }

    private static ActiveMQTextMessage text(String words) throws JMSException {
        ActiveMQTextMessage message = new ActiveMQTextMessage();
        message.setText(words);
        return message;
    }

    private static List<ActiveMQMessage> messages() throws Exception {
        List<ActiveMQMessage> found = new ArrayList<>();
        found.add(text("Hello, Zoë 😀\u0000!"));
        found.add(text(""));
        found.add(text("long ".repeat(2000)));
        found.add(new ActiveMQTextMessage());
        ActiveMQBytesMessage bytes = new ActiveMQBytesMessage();
        bytes.writeBytes(new byte[] {0, 1, (byte) 0xff, 'x'});
        found.add(bytes);
        ActiveMQMapMessage map = new ActiveMQMapMessage();
        map.setInt("int", -1);
        map.setString("text", "größer");
        map.setDouble("double", 0.5);
        map.setBytes("bytes", new byte[] {9});
        map.setChar("char", 'ß');
        map.setObject("list", List.of(1L, "two", true));
        map.setObject("map", Map.of("deep", List.of(Collections.emptyMap())));
        map.setObject("null", null);
        found.add(map);
        ActiveMQStreamMessage stream = new ActiveMQStreamMessage();
        stream.writeShort((short) 7);
        stream.writeString("s");
        stream.writeFloat(0.25f);
        stream.writeObject(null);
        found.add(stream);
        ActiveMQObjectMessage object = new ActiveMQObjectMessage();
        object.setObject(new ArrayList<>(List.of("never", "opened")));
        found.add(object);
        found.add(new ActiveMQMessage());
        ActiveMQBlobMessage blob = new ActiveMQBlobMessage();
        blob.setRemoteBlobUrl("http://localhost/blob");
        blob.setMimeType("text/plain");
        found.add(blob);
        ActiveMQTextMessage some = text("with properties");
        some.setStringProperty("colour", "grün");
        some.setDoubleProperty("ratio", 0.25);
        found.add(some);
        ActiveMQTextMessage full = text("with everything");
        full.setStringProperty("colour", "blau ü");
        full.setIntProperty("size", 42);
        full.setBooleanProperty("urgent", true);
        full.setLongProperty("long", Long.MIN_VALUE);
        full.setFloatProperty("ratio", 1.5f);
        full.setByteProperty("byte", (byte) -1);
        full.setStringProperty("big", "b".repeat(20_000));
        full.setJMSCorrelationID("correlation");
        full.setJMSReplyTo(new ActiveMQQueue("answers"));
        full.setJMSType("kind");
        full.setJMSPriority(9);
        full.setJMSExpiration(1_999_999_999_000L);
        full.setGroupID("group");
        full.setGroupSequence(3);
        full.setUserID("somebody");
        full.setRedeliveryCounter(2);
        full.setOriginalDestination(new ActiveMQTopic("before"));
        full.setBrokerPath(new BrokerId[] {new BrokerId("one"), new BrokerId("two")});
        found.add(full);
        return found;
    }

    private static void add(
            ConnectionContext context, MessageStore store, ActiveMQMessage message, boolean compressed, TransactionId within)
            throws Exception {
        message.setDestination(ORDERS);
        message.setMessageId(new MessageId("ID:walproof-1:" + number++ + ":1:1"));
        message.setProducerId(message.getMessageId().getProducerId());
        message.setPersistent(true);
        message.setTimestamp(1_767_323_045_678L + number);
        message.setTransactionId(within);
        Map<String, Object> said = told(message);
        message.onSend();
        if (compressed) {
            message.compress();
        }
        said.put("compressed", message.isCompressed());
        store.addMessage(context, message);
        written.add(said);
    }

    /** Returns the properties of a message from the API, before it is marshalled. */
    private static Map<String, Object> told(ActiveMQMessage message) throws Exception {
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("message_id", message.getMessageId().toString());
        said.put("destination", message.getDestination().getQualifiedName());
        said.put("original_destination", name(message.getOriginalDestination()));
        said.put("reply_to", name(message.getReplyTo()));
        said.put("timestamp", message.getTimestamp());
        said.put("expiration", message.getExpiration());
        said.put("priority", message.getPriority());
        said.put("persistent", message.isPersistent());
        said.put("correlation_id", message.getCorrelationId());
        said.put("jms_type", message.getType());
        said.put("group_id", message.getGroupID());
        said.put("group_sequence", message.getGroupSequence());
        said.put("user_id", message.getUserID());
        said.put("redelivery_counter", message.getRedeliveryCounter());
        Map<String, String> properties = new TreeMap<>();
        for (Map.Entry<String, Object> one : message.getProperties().entrySet()) {
            properties.put(one.getKey(), String.valueOf(one.getValue()));
        }
        said.put("properties", properties);
        said.put("type", message.getClass().getSimpleName());
        said.put("text", message instanceof ActiveMQTextMessage text ? text.getText() : null);
        said.put("blob_url", message instanceof ActiveMQBlobMessage blob ? blob.getURL().toString() : null);
        return said;
    }

    private static String name(ActiveMQDestination destination) {
        return destination == null ? null : destination.getQualifiedName();
    }
}
