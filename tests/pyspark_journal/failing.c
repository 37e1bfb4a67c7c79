/* A file system that fails at the n-th call, for LD_PRELOAD.

   fail(kind, below, at, times, error) arms it: calls of one kind that concern a path with `below`
   in it are counted, and from the at-th on `times` of them (0: all) fail with `error`. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char kind_[16], below_[512];
static long at_, times_, seen_;
static int error_;

void fail(const char *kind, const char *below, long at, long times, int error) {
    snprintf(kind_, sizeof kind_, "%s", kind);
    snprintf(below_, sizeof below_, "%s", below);
    at_ = at, times_ = times, error_ = error, seen_ = 0;
}

long calls(void) { return seen_; }

static int fails(const char *kind, const char *path) {
    if (!at_ || !path || strcmp(kind, kind_) || !strstr(path, below_)) return 0;
    long n = ++seen_;
    if (n < at_ || (times_ && n >= at_ + times_)) return 0;
    errno = error_;
    return 1;
}

static int fails_at(const char *kind, int file) {
    if (!at_ || strcmp(kind, kind_)) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return fails(kind, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                              \
    int name(const char *path, int flags, ...) {                \
        va_list more;                                           \
        va_start(more, flags);                                  \
        int mode = va_arg(more, int);                           \
        va_end(more);                                           \
        return fails("open", path) ? -1 : REAL(name)(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                            \
    int name(int at, const char *path, int flags, ...) {        \
        va_list more;                                           \
        va_start(more, flags);                                  \
        int mode = va_arg(more, int);                           \
        va_end(more);                                           \
        return fails("open", path) ? -1 : REAL(name)(at, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

DIR *opendir(const char *path) { return fails("list", path) ? NULL : REAL(opendir)(path); }

int stat(const char *path, struct stat *found) {
    return fails("stat", path) ? -1 : REAL(stat)(path, found);
}
int stat64(const char *path, struct stat64 *found) {
    return fails("stat", path) ? -1 : REAL(stat64)(path, found);
}
int fstatat(int at, const char *path, struct stat *found, int flags) {
    return fails("stat", path) ? -1 : REAL(fstatat)(at, path, found, flags);
}
int fstatat64(int at, const char *path, struct stat64 *found, int flags) {
    return fails("stat", path) ? -1 : REAL(fstatat64)(at, path, found, flags);
}

ssize_t read(int file, void *to, size_t size) {
    return fails_at("read", file) ? -1 : REAL(read)(file, to, size);
}
ssize_t pread(int file, void *to, size_t size, off_t at) {
    return fails_at("read", file) ? -1 : REAL(pread)(file, to, size, at);
}
ssize_t pread64(int file, void *to, size_t size, off64_t at) {
    return fails_at("read", file) ? -1 : REAL(pread64)(file, to, size, at);
}
ssize_t preadv(int file, const struct iovec *to, int count, off_t at) {
    return fails_at("read", file) ? -1 : REAL(preadv)(file, to, count, at);
}
ssize_t preadv64(int file, const struct iovec *to, int count, off64_t at) {
    return fails_at("read", file) ? -1 : REAL(preadv64)(file, to, count, at);
}

ssize_t write(int file, const void *from, size_t size) {
    return fails_at("write", file) ? -1 : REAL(write)(file, from, size);
}
int fsync(int file) { return fails_at("sync", file) ? -1 : REAL(fsync)(file); }

int rename(const char *from, const char *to) {
    return fails("rename", to) ? -1 : REAL(rename)(from, to);
}
int mkdir(const char *path, mode_t mode) {
    return fails("mkdir", path) ? -1 : REAL(mkdir)(path, mode);
}
int link(const char *from, const char *to) {
    return fails("link", to) ? -1 : REAL(link)(from, to);
}
int symlink(const char *to, const char *path) {
    return fails("link", path) ? -1 : REAL(symlink)(to, path);
}
