/* Preloaded into hopline by tests: calls that write below FAULT_BELOW are counted, and the FAULT_AT-th fails as FAULT_MODE says:
 *   full      no space from then on             short     half of a write is done, then no space
 *   io        one input/output error            readonly  nothing can be changed from then on
 *   kill      the process is killed before it   half      the same after half of a write, or after the call
 * FAULT_MARK is a file that tells that it came to that. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *dir, *mode = "";
static long at = -1;
static atomic_long count;
static atomic_int fired;
static atomic_char ours[4096];

__attribute__((constructor)) static void begin(void) {
    dir = getenv("FAULT_BELOW");
    if (getenv("FAULT_AT")) at = atol(getenv("FAULT_AT"));
    if (getenv("FAULT_MODE")) mode = getenv("FAULT_MODE");
}

static int below(const char *path) { return dir && path && !strncmp(path, dir, strlen(dir)); }
static int is(const char *name) { return !strcmp(mode, name); }
static int known(int fd) { return fd >= 0 && fd < 4096 && ours[fd]; }
static void die(void) { syscall(SYS_kill, syscall(SYS_getpid), SIGKILL); for (;;) pause(); }

enum kind { MAKES, WRITES, SYNCS, MOVES, REMOVES };

/* 0 to go on; an error; -1 to do half of it, then the mode's end. */
static int fault(enum kind kind) {
    if (at < 0) return 0;
    long n = atomic_fetch_add(&count, 1) + 1;
    if (n < at) return 0;
    if (n == at) {
        const char *mark = getenv("FAULT_MARK");
        if (mark) syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0644));
        fired = 1;
        if (is("kill")) die();
        if (is("half")) return -1;
        if (is("short") && kind == WRITES) return -1;
        if (is("io")) return EIO;
        if (is("readonly")) return EROFS;
        return ENOSPC;
    }
    if (is("readonly")) return EROFS;
    if ((is("full") || is("short")) && (kind == MAKES || kind == WRITES)) return ENOSPC;
    return 0;
}

#define REAL(name, ...) static int (*real)(__VA_ARGS__); if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)
#define TRY(kind, call) \
    int why = fault(kind); \
    if (why > 0) { errno = why; return -1; } \
    int done = call; \
    if (why < 0) die(); \
    return done

static int opened(int fd) {
    if (fd >= 0 && fd < 4096) ours[fd] = 1;
    return fd;
}

static int open_as(const char *name, const char *path, int flags, mode_t rights) {
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
    if (!below(path)) return real(path, flags, rights);
    if (!(flags & (O_WRONLY | O_RDWR | O_CREAT))) return opened(real(path, flags, rights));
    TRY(MAKES, opened(real(path, flags, rights)));
}
#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list more; va_start(more, flags); mode_t rights = va_arg(more, int); va_end(more); \
        return open_as(#name, path, flags, rights); \
    }
OPEN(open)
OPEN(open64)

int close(int fd) {
    REAL("close", int);
    if (fd >= 0 && fd < 4096) ours[fd] = 0;
    return real(fd);
}

ssize_t write(int fd, const void *bytes, size_t length) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "write");
    if (!known(fd)) return real(fd, bytes, length);
    int why = fault(WRITES);
    if (why > 0) { errno = why; return -1; }
    if (why == 0) return real(fd, bytes, length);
    ssize_t half = real(fd, bytes, length / 2);
    if (is("half")) die();
    if (half > 0) return half;
    errno = ENOSPC;
    return -1;
}

int fsync(int fd) { REAL("fsync", int); if (!known(fd)) return real(fd); TRY(SYNCS, real(fd)); }
int ftruncate64(int fd, off64_t length) { REAL("ftruncate64", int, off64_t); if (!known(fd)) return real(fd, length); TRY(MAKES, real(fd, length)); }
int rename(const char *from, const char *to) { REAL("rename", const char *, const char *); if (!below(to)) return real(from, to); TRY(MOVES, real(from, to)); }
int unlink(const char *path) { REAL("unlink", const char *); if (!below(path)) return real(path); TRY(REMOVES, real(path)); }
int rmdir(const char *path) { REAL("rmdir", const char *); if (!below(path)) return real(path); TRY(REMOVES, real(path)); }
int mkdir(const char *path, mode_t rights) { REAL("mkdir", const char *, mode_t); if (!below(path)) return real(path, rights); TRY(MAKES, real(path, rights)); }
