/* A complete Walproof adapter: skeletons/c/adapter.c with a reader and a writer of LevelDB logs in it.
 *
 *   cc -O2 -o adapter conformance/examples/c/adapter.c -ljansson
 *   walproof check --cmd ./adapter --format leveldb-log
 *
 * By hand: ./adapter read leveldb-log FILE [strict]
 */
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *hello(void) {
  return json_pack("{s:s, s:s, s:s, s:[s], s:[s, s, s, s], s:[s, s, s, s, s, s, s]}", "name", "example-c", "version",
                   "1.0.0", "language", "C", "formats", "leveldb-log", "profiles", "recover", "strict", "write",
                   "append", "reports", "records", "at", "size", "verdict", "reason", "end", "lost");
}

enum { BLOCK = 32768, HEADER = 7, FULL = 1, FIRST = 2, MIDDLE = 3, LAST = 4 };

typedef struct {
  uint8_t *bytes;
  size_t size, room;
} buffer;

/* Reads a log as spec/leveldb-log.md says. */
typedef struct {
  buffer log;
  json_t *records, *lost;
  bool is_open; /* a FIRST was read whose LAST was not: at open_at, as far as open_end */
  size_t open_at, open_end;
  buffer open;
  bool ends_in_zeros, in_step;
  size_t zeros_from;
  const char *torn, *damage; /* reasons; NULL for none */
  size_t torn_from, torn_to;
  size_t damage_from, before; /* of the first damage: where it starts, and how many records are before it */
} reader;

/* Ends the process for what is no fault of the log. */
static void check(bool sound, const char *what) {
  if (!sound) {
    perror(what);
    exit(1);
  }
}

static void append(buffer *to, const void *bytes, size_t size) {
  if (size > to->room - to->size) {
    to->room = 2 * (to->size + size);
    to->bytes = realloc(to->bytes, to->room);
    check(to->bytes != NULL, "memory");
  }
  if (size > 0)
    memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
}

static buffer contents(const char *path) {
  buffer found = {NULL, 0, 0};
  char part[BLOCK];
  FILE *file = fopen(path, "rb");
  check(file != NULL, path);
  for (size_t size; (size = fread(part, 1, sizeof part, file)) > 0;)
    append(&found, part, size);
  check(!ferror(file), path);
  fclose(file);
  return found;
}

static uint32_t u4(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static size_t u2(const uint8_t *at) { return (size_t)at[0] | (size_t)at[1] << 8; }

/* CRC-32C, masked (LDB-007). */
static uint32_t masked_crc(const uint8_t *bytes, size_t size) {
  static uint32_t table[256];
  for (uint32_t byte = 0; table[255] == 0 && byte < 256; byte++) {
    uint32_t entry = byte;
    for (int bit = 0; bit < 8; bit++)
      entry = entry >> 1 ^ (entry & 1 ? 0x82f63b78u : 0);
    table[byte] = entry;
  }
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < size; i++)
    crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
  crc = ~crc;
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static bool is_zero(const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != 0)
      return false;
  return true;
}

static json_t *range(size_t from, size_t to, const char *reason) {
  return json_pack("{s:I, s:I, s:s}", "from", (json_int_t)from, "to", (json_int_t)to, "reason", reason);
}

static void lose(reader *r, size_t from, size_t to, const char *reason) {
  if (!r->damage) {
    r->damage = reason;
    r->damage_from = r->is_open && r->open_at < from ? r->open_at : from;
    r->before = json_array_size(r->records);
  }
  size_t place = json_array_size(r->lost); /* ranges stand in order: that of an open record comes late */
  while (place > 0 && (size_t)json_integer_value(json_object_get(json_array_get(r->lost, place - 1), "from")) > from)
    place--;
  json_array_insert_new(r->lost, place, range(from, to, reason));
}

static void lose_open(reader *r) {
  if (r->is_open)
    lose(r, r->open_at, r->open_end, "incomplete-record");
  r->is_open = false;
}

/* A length that cannot be trusted: only the next block gets a reader back in step. */
static void lose_rest(reader *r, size_t at, size_t end, const char *reason) {
  lose(r, at, end, reason);
  lose_open(r);
  r->in_step = end % BLOCK == 0;
}

/* The log ends inside a write; that of an open record began at its FIRST. */
static void tear(reader *r, size_t at, size_t end, const char *reason) {
  r->torn = reason;
  r->torn_from = r->is_open ? r->open_at : at;
  r->torn_to = end;
  r->is_open = false;
}

static void release(reader *r) {
  char *hex = malloc(2 * r->open.size + 1);
  check(hex != NULL, "memory");
  for (size_t i = 0; i < r->open.size; i++) {
    hex[2 * i] = "0123456789abcdef"[r->open.bytes[i] >> 4];
    hex[2 * i + 1] = "0123456789abcdef"[r->open.bytes[i] & 15];
  }
  hex[2 * r->open.size] = '\0';
  json_array_append_new(r->records, json_pack("{s:I, s:I, s:s}", "at", (json_int_t)r->open_at, "size",
                                              (json_int_t)(r->open_end - r->open_at), "payload", hex));
  free(hex);
  r->is_open = false;
}

/* A physical record [at, end) whose checksum holds. */
static void fragment(reader *r, int type, size_t at, size_t end) {
  if (type == FULL || type == FIRST) {
    if (r->open.size > 0)
      lose_open(r);
    r->is_open = true;
    r->open_at = at;
    r->open.size = 0;
  } else if (type != MIDDLE && type != LAST) {
    lose(r, at, end, "unknown-type");
    lose_open(r);
    return;
  } else if (!r->is_open) {
    lose(r, at, end, "orphan-fragment");
    return;
  }
  r->open_end = end;
  append(&r->open, r->log.bytes + at + HEADER, end - at - HEADER);
  if (type == FULL || type == LAST)
    release(r);
}

/* The physical records of one block. */
static void read_block(reader *r, size_t base) {
  const uint8_t *log = r->log.bytes;
  size_t end = base + BLOCK < r->log.size ? base + BLOCK : r->log.size;
  if (r->ends_in_zeros && !is_zero(log + base, end - base)) {
    lose(r, r->zeros_from, base, "zero-gap");
    lose_open(r);
    r->ends_in_zeros = false;
  }
  for (size_t at = base; at < end && base + BLOCK - at >= HEADER;) { /* what is left after the loop is the trailer */
    bool is_short = end - at < HEADER;
    size_t length = is_short ? 0 : u2(log + at + 4), after = at + HEADER + length;
    int type = is_short ? 0 : log[at + 6];
    if (length == 0 && type == 0 && is_zero(log + at, end - at)) {
      if (!r->ends_in_zeros)
        r->zeros_from = at;
      r->ends_in_zeros = true;
      return;
    }
    const char *torn = is_short ? "torn-header" : after > end && after <= base + BLOCK ? "torn-payload" : NULL;
    if (torn) {
      tear(r, at, end, torn);
      return;
    }
    const char *damage = after > base + BLOCK                                        ? "bad-length"
                         : length == 0 && type == 0                                  ? "zero-header"
                         : masked_crc(log + at + 6, after - at - 6) != u4(log + at) ? "checksum-mismatch"
                                                                                     : NULL;
    if (damage) {
      lose_rest(r, at, end, damage);
      return;
    }
    fragment(r, type, at, after);
    at = after;
  }
}

static bool holds(const buffer *log, size_t header) {
  size_t end = header + u2(log->bytes + 4);
  return end <= BLOCK && end <= log->size && masked_crc(log->bytes + 6, end - 6) == u4(log->bytes);
}

/* Whether the first physical record is one of RocksDB's or Pebble's own. */
static bool foreign_dialect(const buffer *log) {
  if (log->size < HEADER)
    return false;
  size_t length = u2(log->bytes + 4);
  int type = log->bytes[6];
  bool recyclable = (type >= 5 && type <= 8) || type == 11 || type == 131;
  bool plain = (type == 9 && length == 4) || (type == 130 && length == 24) ||
               (type == 10 && length > 0 && length % 6 == 0);
  return (recyclable && holds(log, 11)) || (type >= 9 && type <= 12 && holds(log, 19)) || (plain && holds(log, HEADER));
}

static json_t *packed(const char *verdict, const char *reason, json_t *records, json_t *lost, json_t *end) {
  return json_pack("{s:s, s:s?, s:o, s:o, s:o}", "verdict", verdict, "reason", reason, "records", records, "lost", lost,
                   "end", end);
}

/* All that is whole or, with "strict", what is before the first damage. */
static json_t *examine(const char *path, const char *profile) {
  reader r = {.log = contents(path), .records = json_array(), .lost = json_array(), .in_step = true};
  if (foreign_dialect(&r.log)) {
    free(r.log.bytes);
    return packed("refused", "foreign-dialect", r.records, r.lost, json_null());
  }
  for (size_t base = 0; base < r.log.size; base += BLOCK)
    read_block(&r, base);
  if (r.is_open)
    tear(&r, r.open_at, r.open_end, "torn-record");
  size_t end = r.torn ? r.torn_from : r.ends_in_zeros ? r.zeros_from : r.log.size;
  if (r.torn)
    json_array_append_new(r.lost, range(r.torn_from, r.torn_to, r.torn));
  bool strict = r.damage && strcmp(profile, "strict") == 0;
  if (strict) {
    json_array_clear(r.lost);
    json_array_append_new(r.lost, range(r.damage_from, r.log.size, r.damage));
    while (json_array_size(r.records) > r.before)
      json_array_remove(r.records, json_array_size(r.records) - 1);
  }
  free(r.log.bytes);
  free(r.open.bytes);
  return packed(r.damage ? "damaged" : r.torn ? "torn" : "intact", r.damage ? r.damage : r.torn, r.records, r.lost,
                strict || !r.in_step ? json_null() : json_integer((json_int_t)end));
}

static json_t *read_log(const char *format, const char *path, const char *profile, const json_t *context) {
  (void)format, (void)context;
  return json_pack("{s:o}", "answer", examine(path, profile));
}

/* Adds a record to what a writer appends to a log of position bytes. */
static void frame(buffer *out, size_t position, const buffer *payload) {
  bool begin = true, last = false;
  for (size_t from = 0; !last; begin = false) {
    size_t left = BLOCK - (position + out->size) % BLOCK;
    if (left < HEADER) {
      append(out, "\0\0\0\0\0\0", left);
      left = BLOCK;
    }
    size_t length = payload->size - from < left - HEADER ? payload->size - from : left - HEADER;
    last = from + length == payload->size;
    uint8_t type = begin ? (last ? FULL : FIRST) : (last ? LAST : MIDDLE);
    uint8_t header[HEADER] = {0, 0, 0, 0, (uint8_t)length, (uint8_t)(length >> 8), type};
    size_t at = out->size;
    append(out, header, HEADER);
    append(out, payload->bytes + from, length);
    uint32_t crc = masked_crc(out->bytes + at + 6, length + 1);
    for (int i = 0; i < 4; i++)
      out->bytes[at + i] = (uint8_t)(crc >> 8 * i);
    from += length;
  }
}

/* Makes a log, or goes on with the one that is there where its end is. */
static json_t *write_log(const char *cmd, const char *format, const char *path, const json_t *records,
                         const json_t *context) {
  (void)format, (void)context;
  size_t position = 0;
  if (strcmp(cmd, "append") == 0) {
    json_t *before = examine(path, "recover"), *end = json_object_get(before, "end");
    if (json_is_null(end)) {
      json_t *refused = json_pack("{s:s+}", "refused", "start a new file: ",
                                  json_string_value(json_object_get(before, "reason")));
      json_decref(before);
      return refused;
    }
    position = (size_t)json_integer_value(end);
    json_decref(before);
    if (json_array_size(records) == 0) return json_pack("{s:b}", "done", 1); /* nothing changes */
    check(truncate(path, (off_t)position) == 0, path);
  }
  buffer out = {NULL, 0, 0}, payload = {NULL, 0, 0};
  size_t i;
  json_t *record;
  json_array_foreach((json_t *)records, i, record) {
    const char *hex = json_string_value(json_object_get(record, "payload"));
    payload.size = 0;
    for (; *hex; hex += 2) {
      uint8_t byte = (uint8_t)strtol((char[]){hex[0], hex[1], '\0'}, NULL, 16);
      append(&payload, &byte, 1);
    }
    frame(&out, position, &payload);
  }
  FILE *file = fopen(path, "ab");
  check(file != NULL && fwrite(out.bytes, 1, out.size, file) == out.size && fclose(file) == 0, path);
  free(out.bytes);
  free(payload.bytes);
  return json_pack("{s:b}", "done", 1);
}

/* ---- The protocol: nothing to fill in from here on. ---- */

static const char *text(const json_t *request, const char *key) {
  const char *value = json_string_value(json_object_get(request, key));
  return value ? value : "";
}

/* Carries out a request that names a log. */
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
  for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) { /* takes lines of any length */
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
