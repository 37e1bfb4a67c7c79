import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.atomix.raft.storage.log.entry.SerializedApplicationEntry;
import io.atomix.raft.storage.serializer.RaftEntrySBESerializer;
import io.camunda.zeebe.logstreams.impl.log.LoggedEventImpl;
import io.camunda.zeebe.logstreams.impl.log.SequencedBatch;
import io.camunda.zeebe.logstreams.impl.serializer.SequencedBatchSerializer;
import io.camunda.zeebe.logstreams.log.LogAppendEntry;
import io.camunda.zeebe.protocol.impl.encoding.MsgPackConverter;
import io.camunda.zeebe.protocol.impl.record.RecordMetadata;
import io.camunda.zeebe.protocol.impl.record.UnifiedRecordValue;
import io.camunda.zeebe.protocol.impl.record.VersionInfo;
import io.camunda.zeebe.protocol.impl.record.value.deployment.DeploymentRecord;
import io.camunda.zeebe.protocol.impl.record.value.incident.IncidentRecord;
import io.camunda.zeebe.protocol.impl.record.value.job.JobRecord;
import io.camunda.zeebe.protocol.impl.record.value.message.MessageRecord;
import io.camunda.zeebe.protocol.impl.record.value.processinstance.ProcessInstanceCreationRecord;
import io.camunda.zeebe.protocol.impl.record.value.processinstance.ProcessInstanceRecord;
import io.camunda.zeebe.protocol.impl.record.value.variable.VariableRecord;
import io.camunda.zeebe.protocol.record.RecordType;
import io.camunda.zeebe.protocol.record.RejectionType;
import io.camunda.zeebe.protocol.record.ValueType;
import io.camunda.zeebe.protocol.record.intent.DeploymentIntent;
import io.camunda.zeebe.protocol.record.intent.IncidentIntent;
import io.camunda.zeebe.protocol.record.intent.Intent;
import io.camunda.zeebe.protocol.record.intent.JobIntent;
import io.camunda.zeebe.protocol.record.intent.MessageIntent;
import io.camunda.zeebe.protocol.record.intent.ProcessInstanceCreationIntent;
import io.camunda.zeebe.protocol.record.intent.ProcessInstanceIntent;
import io.camunda.zeebe.protocol.record.intent.VariableIntent;
import io.camunda.zeebe.protocol.record.value.ErrorType;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * {@code Records RELEASE} prints raft entries with records of Zeebe, written by the real classes, and the records that
 * the real classes read from the entries. {@code Records read} prints the records that the real classes read from the
 * application data in each line of stdin, in hexadecimal. The output is one JSON object.
 */
final class Records {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long FIRST = 17;
  private static final long NOW = 1_700_000_000_123L;

  private Records() {}

  public static void main(String[] arguments) throws Exception {
    ObjectNode told = JSON.createObjectNode();
    if (arguments[0].equals("read")) {
      ArrayNode entries = told.putArray("entries");
      for (String line : new String(System.in.readAllBytes(), StandardCharsets.US_ASCII).split("\n")) {
        entries.addObject().set("records", read(HexFormat.of().parseHex(line)));
      }
    } else {
      String[] version = arguments[0].split("\\.");
      ArrayNode entries = told.putArray("entries");
      for (List<LogAppendEntry> batch : batches(Integer.parseInt(version[0]), Integer.parseInt(version[1]))) {
        byte[] data = SequencedBatchSerializer.serializeBatch(new SequencedBatch(NOW, FIRST, FIRST - 1, batch)).array();
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        long last = FIRST + batch.size() - 1;
        int length = new RaftEntrySBESerializer()
            .writeApplicationEntry(3, new SerializedApplicationEntry(FIRST, last, new UnsafeBuffer(data)), buffer, 0);
        ObjectNode entry = entries.addObject();
        entry.put("payload", HexFormat.of().formatHex(buffer.byteArray(), 0, length));
        entry.set("records", read(data));
      }
    }
    System.out.println(JSON.writeValueAsString(told));
    System.exit(0);
  }

  private static List<List<LogAppendEntry>> batches(int major, int minor) {
    DirectBuffer variables = pack("{'total':12.5,'items':[{'sku':'ä-1','n':2},{'sku':'','n':-3}],'paid':false,'by':null,'id':9007199254740993}");
    RecordMetadata create = metadata(RecordType.COMMAND, ValueType.PROCESS_INSTANCE_CREATION, ProcessInstanceCreationIntent.CREATE, major, minor)
        .requestId(7).requestStreamId(1);
    ProcessInstanceCreationRecord creation = new ProcessInstanceCreationRecord().setBpmnProcessId("order").setVariables(variables);
    LogAppendEntry command = LogAppendEntry.of(create, creation);

    RecordMetadata refused = metadata(RecordType.COMMAND_REJECTION, ValueType.PROCESS_INSTANCE_CREATION, ProcessInstanceCreationIntent.CREATE, major, minor)
        .requestId(7).requestStreamId(1).rejectionType(RejectionType.NOT_FOUND).rejectionReason("no process 'größer' with a \"name\"");
    ProcessInstanceRecord activating = new ProcessInstanceRecord().setBpmnProcessId("order").setElementId("task").setProcessInstanceKey(4711);
    JobRecord job = new JobRecord().setType("pay").setRetries(3).setDeadline(NOW + 60_000).setVariables(variables)
        .setCustomHeaders(pack("{'a':'b'}"));
    VariableRecord variable = new VariableRecord().setName(text("total")).setValue(pack("{'nested':[1,[2,[3]]]}"))
        .setScopeKey(4711).setProcessInstanceKey(4711).setProcessDefinitionKey(4710).setBpmnProcessId(text("order"));
    DeploymentRecord deployment = new DeploymentRecord();
    deployment.resources().add().setResourceName("order.bpmn").setResource("<definitions/>\u0000".getBytes(StandardCharsets.UTF_8));
    IncidentRecord incident = new IncidentRecord().setErrorType(ErrorType.JOB_NO_RETRIES).setErrorMessage("line 1\nline 2\u001b[31m").setElementId(text("task"));
    MessageRecord message = new MessageRecord().setName("paid").setCorrelationKey("4711").setTimeToLive(-5).setVariables(variables);
    List<LogAppendEntry> follow = new ArrayList<>();
    follow.add(LogAppendEntry.of(2251799813685249L, metadata(RecordType.EVENT, ValueType.PROCESS_INSTANCE, ProcessInstanceIntent.ELEMENT_ACTIVATING, major, minor), activating));
    follow.add(LogAppendEntry.of(2251799813685250L, reference(metadata(RecordType.EVENT, ValueType.JOB, JobIntent.CREATED, major, minor)), job));
    follow.add(LogAppendEntry.of(2251799813685251L, metadata(RecordType.EVENT, ValueType.VARIABLE, VariableIntent.CREATED, major, minor), variable));
    follow.add(LogAppendEntry.ofProcessed(LogAppendEntry.of(-1, metadata(RecordType.COMMAND, ValueType.DEPLOYMENT, DeploymentIntent.CREATE, major, minor), deployment)));
    follow.add(LogAppendEntry.of(Long.MAX_VALUE, metadata(RecordType.EVENT, ValueType.INCIDENT, IncidentIntent.RESOLVED, major, minor), incident));
    follow.add(LogAppendEntry.of(Long.MIN_VALUE, metadata(RecordType.EVENT, ValueType.MESSAGE, MessageIntent.EXPIRED, major, minor), message));
    return List.of(List.of(command), List.of(LogAppendEntry.of(refused, creation)), follow);
  }

  private static RecordMetadata metadata(RecordType type, ValueType valueType, Intent intent, int major, int minor) {
    return new RecordMetadata().recordType(type).valueType(valueType).intent(intent).brokerVersion(new VersionInfo(major, minor, 5));
  }

  /** Sets the fields that only newer metadata have. */
  private static RecordMetadata reference(RecordMetadata metadata) {
    set(metadata, "recordVersion", int.class, 2);
    set(metadata, "operationReference", long.class, 1234L);
    set(metadata, "batchOperationReference", long.class, 5678L);
    return metadata;
  }

  private static void set(RecordMetadata metadata, String name, Class<?> type, Object value) {
    try {
      RecordMetadata.class.getMethod(name, type).invoke(metadata, value);
    } catch (NoSuchMethodException older) {
      // This release has no such field.
    } catch (IllegalAccessException | InvocationTargetException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private static ArrayNode read(byte[] data) throws Exception {
    ArrayNode records = JSON.createArrayNode();
    UnsafeBuffer buffer = new UnsafeBuffer(data);
    LoggedEventImpl event = new LoggedEventImpl();
    for (int at = 0; at < data.length; at += event.getLength()) {
      event.wrap(buffer, at);
      RecordMetadata metadata = new RecordMetadata();
      event.readMetadata(metadata);
      ObjectNode record = records.addObject();
      record.put("position", event.getPosition());
      record.put("source_position", event.getSourceEventPosition());
      record.put("key", event.getKey());
      record.put("timestamp", event.getTimestamp());
      record.put("is_processed", event.shouldSkipProcessing());
      record.put("record_type", metadata.getRecordType().name());
      record.put("value_type", metadata.getValueType().name());
      record.put("intent", metadata.getIntent().name());
      boolean isRejected = metadata.getRejectionType() != RejectionType.NULL_VAL;
      record.put("rejection_type", isRejected ? metadata.getRejectionType().name() : null);
      record.put("rejection_reason", metadata.getRejectionReason());
      record.put("request_id", metadata.getRequestId());
      record.put("request_stream_id", metadata.getRequestStreamId());
      record.put("protocol_version", metadata.getProtocolVersion());
      record.put("broker_version", metadata.getBrokerVersion().toString());
      for (String name : List.of("RecordVersion", "OperationReference", "BatchOperationReference")) {
        put(record, name, metadata);
      }
      UnsafeBuffer value = new UnsafeBuffer(event.getValueBuffer(), event.getValueOffset(), event.getValueLength());
      record.put("value", MsgPackConverter.convertToJson(value));
      documents(record.putObject("documents"), metadata.getValueType(), value);
    }
    return records;
  }

  private static void put(ObjectNode record, String name, RecordMetadata metadata) throws ReflectiveOperationException {
    try {
      record.put(name, ((Number) RecordMetadata.class.getMethod("get" + name).invoke(metadata)).longValue());
    } catch (NoSuchMethodException older) {
      // This release has no such field.
    }
  }

  /** Adds the properties that are MessagePack in a binary value, as the getters of the real records return them. */
  private static void documents(ObjectNode documents, ValueType type, DirectBuffer value) {
    switch (type) {
      case PROCESS_INSTANCE_CREATION -> documents.put("variables", json(wrapped(new ProcessInstanceCreationRecord(), value).getVariablesBuffer()));
      case JOB -> documents.put("variables", json(wrapped(new JobRecord(), value).getVariablesBuffer()));
      case MESSAGE -> documents.put("variables", json(wrapped(new MessageRecord(), value).getVariablesBuffer()));
      case VARIABLE -> documents.put("value", wrapped(new VariableRecord(), value).getValue());
      default -> {}
    }
  }

  private static <T extends UnifiedRecordValue> T wrapped(T record, DirectBuffer value) {
    record.wrap(value);
    return record;
  }

  private static String json(DirectBuffer document) {
    return MsgPackConverter.convertToJson(document);
  }

  private static DirectBuffer pack(String json) {
    return new UnsafeBuffer(MsgPackConverter.convertToMsgPack(json));
  }

  private static DirectBuffer text(String text) {
    return new UnsafeBuffer(text.getBytes(StandardCharsets.UTF_8));
  }
}
