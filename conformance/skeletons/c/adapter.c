/* A template for a Walproof adapter: one file, C99, POSIX and Jansson (Debian: libjansson-dev). Fill in read_log and
 * hello.
 *
 *   cc -O2 -o adapter adapter.c -ljansson
 *   walproof check --smoke --cmd ./adapter   # checks the protocol
 *   walproof check --cmd ./adapter   # all vectors
 *
 * By hand: ./adapter read leveldb-log FILE [strict]
 */
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *hello(void) {
  return json_pack("{s:s, s:s, s:s, s:[s], s:[s], s:[s, s]}", "name", "my-reader", "version", "0.0.0", "language", "C",
                   "formats", "leveldb-log", "profiles", "recover", "reports", "records", "signals");
}

/* ====> YOUR READER GOES HERE. Return the reader's records and its messages about damage, for example
 * json_pack("{s:{s:[{s:s}], s:[s]}}", "answer", "records", "payload", "616c706861", "signals", "bad checksum") If your
 * reader returns an error for damage, return its message as a signal, and return the records before the damage, too.
 * Do not install handlers for SIGSEGV and SIGABRT: a crash is a result too. context has information about the log that
 * is not in the file. */
static json_t *read_log(const char *format, const char *path, const char *profile, const json_t *context) {
  (void)format, (void)path, (void)profile, (void)context;
  return json_pack("{s:s}", "skipped", "read() is not written yet");
}

/* ====> YOUR WRITER GOES HERE. For cmd "write", create a log at path; for "append", append to the log at path.
 * Return json_pack("{s:b}", "done", 1) if the log contains all records; otherwise change nothing and return
 * {"refused": "why"}. A record has its payload in hexadecimal and the other fields of the format. Add the profiles
 * "write" and "append" to hello. */
static json_t *write_log(const char *cmd, const char *format, const char *path, const json_t *records,
                         const json_t *context) {
  (void)cmd, (void)format, (void)path, (void)records, (void)context;
  return json_pack("{s:s}", "skipped", "write() is not written yet");
}

/* ---- The protocol. Do not change anything below. ---- */

static const char *text(const json_t *request, const char *key) {
  const char *value = json_string_value(json_object_get(request, key));
  return value ? value : "";
}

/* Performs a read, write or append request. */
static json_t *answer(const json_t *request) {
  const char *cmd = text(request, "cmd"), *format = text(request, "format"), *path = text(request, "path");
  const json_t *context = json_object_get(request, "context");
  if (strcmp(cmd, "write") != 0 && access(path, F_OK) != 0)
    return json_pack("{s:s}", "skipped", "nothing is at this path");
  if (strcmp(cmd, "read") == 0)
    return read_log(format, path, text(request, "profile"), context);
  return write_log(cmd, format, path, json_object_get(request, "records"), context);
}

static void send(const json_t *message) {
  if (json_dumpf(message, stdout, JSON_COMPACT) != 0 || putchar('\n') == EOF || fflush(stdout) != 0) {
    fprintf(stderr, "cannot send a reply\n");
    exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc > 3 && strcmp(argv[1], "read") == 0) {
    json_t *request = json_pack("{s:s, s:s, s:s, s:s, s:{}}", "cmd", "read", "format", argv[2], "path", argv[3],
                                "profile", argc > 4 ? argv[4] : "recover", "context");
    json_t *result = answer(request);
    json_t *found = json_object_get(result, "answer");
    send(found ? found : result);
    json_decref(result);
    json_decref(request);
    return 0;
  }
  char *line = NULL;
  size_t room = 0;
  for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) { /* reads lines of any length */
    json_error_t error;
    json_t *request = json_loadb(line, (size_t)length, JSON_ALLOW_NUL, &error);
    if (!request) {
      fprintf(stderr, "no JSON: %s\n", error.text);
      return 1;
    }
    int bye = strcmp(text(request, "cmd"), "bye") == 0;
    if (!bye) {
      int greeting = strcmp(text(request, "cmd"), "hello") == 0;
      json_t *reply = greeting ? hello() : answer(request);
      if (!greeting)
        json_object_set(reply, "seq", json_object_get(request, "seq"));
      send(reply);
      json_decref(reply);
    }
    json_decref(request);
    if (bye)
      break;
  }
  free(line);
  return 0;
}
