import io.camunda.zeebe.protocol.record.RecordMetadataDecoder;
import io.camunda.zeebe.protocol.record.RecordType;
import io.camunda.zeebe.protocol.record.RejectionType;
import io.camunda.zeebe.protocol.record.ValueType;
import io.camunda.zeebe.protocol.record.intent.Intent;

/**
 * Prints the names that the {@code zeebe-protocol} on the class path gives to the numbers in a record's metadata. Each
 * line has one or two numbers and a name.
 */
final class Protocol {
  private Protocol() {}

  public static void main(String[] arguments) throws ReflectiveOperationException {
    // Reflection reads the constant of the jar on the class path; the compiler would copy the constant into this class.
    System.out.println("schema " + RecordMetadataDecoder.class.getField("SCHEMA_VERSION").getInt(null) + " -");
    for (RecordType type : RecordType.values()) {
      if (isReal(type)) System.out.println("record " + type.value() + " " + type.name());
    }
    for (RejectionType type : RejectionType.values()) {
      if (isReal(type)) System.out.println("rejection " + type.value() + " " + type.name());
    }
    for (ValueType type : ValueType.values()) {
      if (!isReal(type)) continue;
      System.out.println("value " + type.value() + " " + type.name());
      for (short number = 0; number < 255; ++number) {
        String name = intent(type, number);
        if (name != null) System.out.println("intent " + type.value() + " " + number + " " + name);
      }
    }
  }

  private static String intent(ValueType type, short number) {
    try {
      Intent intent = Intent.fromProtocolValue(type, number);
      return intent == null || intent == Intent.UNKNOWN ? null : intent.name();
    } catch (RuntimeException unknown) {
      return null;
    }
  }

  private static boolean isReal(Enum<?> value) {
    return !value.name().equals("NULL_VAL") && !value.name().equals("SBE_UNKNOWN");
  }
}
