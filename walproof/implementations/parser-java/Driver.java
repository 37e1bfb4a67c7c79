import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.kaitai.struct.ByteBufferKaitaiStream;
import io.kaitai.struct.KaitaiStream;
import io.kaitai.struct.KaitaiStruct;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import walproof.adapterkit.Implementation.Description;
import walproof.adapterkit.Protocol;

/** Lists the fields that the package of Java parsers finds (walproof/parsers/README.md). */
public final class Driver {
    /** One field of a type, with the method that returns it. */
    private record Field(
            String id, String kind, Integer width, boolean byLength, boolean array, boolean optional,
            boolean instance, Method get) {}

    private final JsonObject models;
    private final Map<Class<?>, List<Field>> fields = new HashMap<>();
    private final List<String> lines = new ArrayList<>();

    private Driver(Path models) throws Exception {
        this.models = JsonParser.parseString(Files.readString(models)).getAsJsonObject();
        for (Map.Entry<String, JsonElement> model : this.models.entrySet()) {
            JsonObject types = model.getValue().getAsJsonObject().getAsJsonObject("types");
            for (Map.Entry<String, JsonElement> type : types.entrySet()) {
                Class<?> parser = Class.forName("walproof.parsers." + type.getKey().replace('.', '$'));
                List<Field> found = new ArrayList<>();
                for (JsonElement field : type.getValue().getAsJsonArray()) {
                    found.add(field(parser, field.getAsJsonObject()));
                }
                fields.put(parser, found);
            }
        }
    }

    private static Field field(Class<?> parser, JsonObject said) throws Exception {
        String id = said.get("id").getAsString();
        StringBuilder name = new StringBuilder();
        for (String part : id.split("_")) {
            name.append(name.length() == 0 ? part : part.substring(0, 1).toUpperCase() + part.substring(1));
        }
        return new Field(
                id, said.get("kind").getAsString(), said.has("width") ? said.get("width").getAsInt() : null,
                said.has("by_length"), said.has("array"), said.has("optional"), said.has("instance"),
                parser.getMethod(name.toString()));
    }

    private static String shown(Long at) {
        return at == null ? "-" : at.toString();
    }

    private static Long plus(Long at, long size) {
        return at == null ? null : Long.valueOf(at + size);
    }

    private Long object(KaitaiStruct object, String name, Long at) throws Exception {
        for (Field field : fields.get(object.getClass())) {
            String inner = name.isEmpty() ? field.id : name + "." + field.id;
            try {
                Object value = field.get.invoke(object);
                if (field.instance) {
                    many(object, value, field, inner, null);
                } else {
                    at = many(object, value, field, inner, at);
                }
            } catch (InvocationTargetException thrown) {
                lines.add(inner + " - !");
            }
        }
        return at;
    }

    private Long many(KaitaiStruct parent, Object value, Field field, String name, Long at) throws Exception {
        if (!field.array || value == null) {
            return one(parent, value, field, name, at);
        }
        // Arrays of integers such as u1 are lists of boxed numbers, too.
        List<?> list = (List<?>) value;
        lines.add(name + " " + shown(at) + " [ " + list.size());
        int number = 0;
        for (Object element : list) {
            at = one(parent, element, field, name + "[" + number++ + "]", at);
        }
        return at;
    }

    private Long one(KaitaiStruct parent, Object value, Field field, String name, Long at) throws Exception {
        String start = name + " " + shown(at) + " ";
        if (value == null) {
            // Both an enum value without a name and an absent field are null.
            boolean unknown = field.kind.equals("enum") && !(field.array && name.endsWith(field.id));
            lines.add(start + (unknown ? "i ?" : "-"));
            return unknown ? (field.optional || field.width == null ? null : plus(at, field.width)) : at;
        }
        if (value instanceof KaitaiStruct) {
            KaitaiStruct struct = (KaitaiStruct) value;
            KaitaiStream stream = struct._io();
            lines.add(start + "{ " + stream.size());
            Long after = object(struct, name, at);
            return stream == parent._io() ? after : plus(at, stream.size());
        }
        lines.add(start + scalar(value));
        if (field.width != null) {
            return plus(at, field.width);
        }
        boolean raw = field.kind.equals("switch") && value instanceof byte[];
        return field.byLength || raw ? plus(at, ((byte[]) value).length) : null;
    }

    private static String scalar(Object value) throws Exception {
        if (value instanceof Enum) {
            return "i " + value.getClass().getMethod("id").invoke(value);
        }
        if (value instanceof Boolean) {
            return (Boolean) value ? "i 1" : "i 0";
        }
        if (value instanceof Double || value instanceof Float) {
            return String.format("f %016x", Double.doubleToRawLongBits(((Number) value).doubleValue()));
        }
        if (value instanceof Number) {
            return "i " + ((Number) value).longValue();
        }
        byte[] bytes = value instanceof String ? ((String) value).getBytes(StandardCharsets.UTF_8) : (byte[]) value;
        HexFormat hex = HexFormat.of();
        if (bytes.length <= 32) {
            return "b " + bytes.length + " " + hex.formatHex(bytes);
        }
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
        return "b " + bytes.length + " sha256:" + hex.formatHex(digest, 0, 8);
    }

    private List<String> listing(String grammar, byte[] bytes) throws Exception {
        lines.clear();
        String top = models.getAsJsonObject(grammar).get("top").getAsString();
        KaitaiStruct log;
        try {
            log = (KaitaiStruct) Class.forName("walproof.parsers." + top)
                    .getConstructor(KaitaiStream.class)
                    .newInstance(new ByteBufferKaitaiStream(bytes));
        } catch (InvocationTargetException thrown) {
            return List.of("!");
        }
        object(log, "", 0L);
        return lines;
    }

    private JsonObject reply(JsonObject request) throws Exception {
        JsonObject reply = new JsonObject();
        if (!request.has("grammar")) {
            reply.addProperty("skipped", "lists fields only");
            return reply;
        }
        String grammar = request.get("grammar").getAsString();
        if (!models.has(grammar)) {
            reply.addProperty("skipped", "no parser of " + grammar);
            return reply;
        }
        List<String> found = listing(grammar, Files.readAllBytes(Path.of(request.get("path").getAsString())));
        MessageDigest said = MessageDigest.getInstance("SHA-256");
        for (String line : found) {
            said.update((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
        JsonObject structure = new JsonObject();
        structure.addProperty("fields", found.size());
        structure.addProperty("sha256", HexFormat.of().formatHex(said.digest()));
        if (request.has("listing")) {
            structure.add("listing", strings(found.toArray(new String[0])));
        }
        reply.add("structure", structure);
        return reply;
    }

    private static JsonArray strings(String... values) {
        JsonArray array = new JsonArray();
        Arrays.stream(values).forEach(array::add);
        return array;
    }

    public static void main(String[] args) throws Exception {
        Driver driver = new Driver(Path.of(args[0], "models.json"));
        Description hello = new Description("parser-java", "0.11", List.of("*"), List.of("structure"),
                List.of("structure", "absent"), "https://kaitai.io",
                "https://github.com/kaitai-io/kaitai_struct/issues");
        Protocol.serve(hello, driver::reply);
    }
}
