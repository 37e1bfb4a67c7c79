package walproof.adapterkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.*;
import java.io.*;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import walproof.adapterkit.Implementation.Acknowledge;
import walproof.adapterkit.Implementation.Description;
import walproof.adapterkit.Implementation.Request;
import walproof.adapterkit.Implementation.Skip;

/**
 * Implements the adapter protocol v1 (JSON lines on stdin and stdout, and the one-shot form {@code read FORMAT PATH})
 * for an {@link Implementation}.
 */
public final class Protocol {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();
  private static final Writer REPLIES =
      new BufferedWriter(new OutputStreamWriter(new FileOutputStream(FileDescriptor.out), UTF_8));
  private static final BufferedReader REQUESTS = new BufferedReader(new InputStreamReader(System.in, UTF_8));

  private Protocol() {}

  /** A function that returns the reply to a message other than hello and bye. The reply need not contain seq. */
  public interface Replies {
    JsonObject to(JsonObject message) throws Exception;
  }

  /**
   * Serves requests until bye or the end of stdin, or the single request in {@code args}. Does not return. If the
   * implementation throws an exception, the process ends with status 70, because a crash is a result and must not look
   * like an answer.
   */
  public static void run(Implementation implementation, String... args) {
    end(() -> {
      if (args.length == 3 && args[0].equals("read")) {
        Request request = new Request(args[1], Path.of(args[2]), "recover", new JsonObject(), List.of(), null);
        JsonObject reply = reply(implementation, "read", request);
        send(reply.has("answer") ? reply.get("answer") : reply);
      } else {
        loop(implementation.describe(), message -> {
          String command = message.get("cmd").getAsString();
          return reply(implementation, command, request(command, message));
        });
      }
    });
  }

  /** Like {@link #run}, for a program that handles requests that an {@link Implementation} does not. */
  public static void serve(Description description, Replies replies) {
    end(() -> loop(description, replies));
  }

  private static void loop(Description description, Replies replies) throws Exception {
    JsonObject hello = GSON.toJsonTree(description).getAsJsonObject();
    hello.addProperty("language", "Java");
    for (String line = REQUESTS.readLine(); line != null; line = REQUESTS.readLine()) {
      JsonObject message = JsonParser.parseString(line).getAsJsonObject();
      String command = message.get("cmd").getAsString();
      if (command.equals("bye")) {
        return;
      }
      if (command.equals("hello")) {
        send(hello);
      } else {
        JsonObject reply = replies.to(message);
        reply.add("seq", message.get("seq"));
        send(reply);
      }
    }
  }

  private interface Body {
    void run() throws Exception;
  }

  /** Runs {@code body}, and then ends the process. */
  private static void end(Body body) {
    System.setOut(System.err); // output of the implementation is not a reply
    try {
      body.run();
      System.exit(0); // even if the implementation has left threads running
    } catch (Throwable thrown) { // including OutOfMemoryError and StackOverflowError
      try {
        thrown.printStackTrace();
      } finally {
        Runtime.getRuntime().halt(70);
      }
    }
  }

  private static Request request(String command, JsonObject message) {
    List<JsonObject> records = new ArrayList<>();
    if (message.has("records")) {
      message.getAsJsonArray("records").forEach(record -> records.add(record.getAsJsonObject()));
    }
    String profile = command.equals("read") ? message.get("profile").getAsString() : command;
    JsonObject context = message.has("context") ? message.getAsJsonObject("context") : new JsonObject();
    Path path = Path.of(message.get("path").getAsString());
    Acknowledge acknowledge = message.has("acknowledge") && message.get("acknowledge").getAsBoolean()
        ? count -> acknowledge(message.get("seq"), count) : null;
    return new Request(message.get("format").getAsString(), path, profile, context, records, acknowledge);
  }

  private static void acknowledge(JsonElement seq, int count) throws IOException {
    JsonObject reply = new JsonObject();
    reply.add("seq", seq);
    reply.addProperty("acknowledged", count);
    send(reply);
    REQUESTS.readLine(); // go-on
  }

  private static JsonObject reply(Implementation implementation, String command, Request request) throws Exception {
    Description description = implementation.describe();
    JsonObject reply = new JsonObject();
    try {
      if (!description.formats().contains(request.format()) || !description.profiles().contains(request.profile())) {
        throw new Skip(description.name() + " has no " + request.profile() + " for " + request.format(), null);
      }
      if (!command.equals("write") && Files.notExists(request.path())) {
        throw new Skip("nothing is at this path", null);
      }
      if (command.equals("read")) {
        reply.add("answer", implementation.read(request).json);
        return reply;
      }
      try {
        if (command.equals("write")) {
          implementation.write(request);
        } else {
          implementation.append(request);
        }
        reply.addProperty("done", true);
      } catch (IOException | RuntimeException refusal) {
        reply.addProperty("refused", refusal.toString());
      }
    } catch (Skip skip) {
      reply.addProperty("skipped", skip.getMessage());
      reply.addProperty("issue", skip.issue); // null is not sent
    }
    return reply;
  }

  private static void send(JsonElement message) throws IOException {
    GSON.toJson(message, REPLIES);
    REPLIES.write('\n');
    REPLIES.flush();
  }
}
