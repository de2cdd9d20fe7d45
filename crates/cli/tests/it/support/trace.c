/* Loaded into a program before its C library: records what it writes, what it makes durable and what it says.
 *
 * Events go to the file named by TRACE_TO in the order in which they happened, each with one system call, so that
 * threads need no lock. An event is a line `kind file at length path`, followed by `length` bytes:
 *
 *   wrote    file at n path   the n bytes, which are in the file at that offset
 *   cut      file at 0 path   the file now ends at that offset
 *   synced   file 0 n path    of a directory: a line `file name` for each entry
 *   unsynced file 0 0 path    a sync that was made to fail
 *   said     - 0 n -          the n bytes, about to go to stdout
 *
 * `file` is the inode and its time of birth, because numbers are used again. What is written is recorded after it is
 * done, a sync after it has succeeded, an answer before it is given: whatever is said is said too early if its sync
 * is recorded behind it.
 *
 * With TRACE_FAIL_PATH and TRACE_FAIL_FROM, syncs of files whose path ends so fail with EIO, from that one on.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int trace = -1;
static const char *fail_path;
static long fail_from;
static atomic_long fail_seen;

__attribute__((constructor)) static void begin(void) {
    const char *to = getenv("TRACE_TO");
    const char *from = getenv("TRACE_FAIL_FROM");
    fail_path = getenv("TRACE_FAIL_PATH");
    fail_from = from ? atol(from) : 0;
    if (to) trace = open(to, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    /* Only this process: what it starts has other ends. */
    unsetenv("LD_PRELOAD");
}

static void identity(int directory, const char *name, char *text, size_t size) {
    struct statx found = {0};
    statx(directory, name, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &found);
    snprintf(text, size, "%llu.%lld.%u", (unsigned long long)found.stx_ino, (long long)found.stx_btime.tv_sec,
             found.stx_btime.tv_nsec);
}

static void path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
}

static void record(const char *kind, int fd, long long at, const void *bytes, size_t length) {
    char path[PATH_MAX] = "-", file[64] = "-", line[PATH_MAX + 160];
    int before = errno;
    if (fd != STDOUT_FILENO) {
        path_of(fd, path);
        identity(fd, "", file, sizeof file);
    }
    int size = snprintf(line, sizeof line, "%s %s %lld %zu %s\n", kind, file, at, length, path);
    struct iovec parts[2] = {{line, (size_t)size}, {(void *)bytes, length}};
    syscall(SYS_writev, trace, parts, 2);
    errno = before;
}

/* 0 for what no power cut can take away: pipes, sockets, terminals. */
static mode_t kind_of(int fd) {
    struct stat found;
    if (trace < 0 || fd == trace || fstat(fd, &found) != 0) return 0;
    return S_ISREG(found.st_mode) || S_ISDIR(found.st_mode) ? found.st_mode : 0;
}

static void wrote(int fd, long long at, const void *bytes, ssize_t length) {
    if (length > 0 && fd != STDOUT_FILENO && kind_of(fd)) {
        if (at < 0) at = (long long)lseek(fd, 0, SEEK_CUR) - length;
        record("wrote", fd, at, bytes, (size_t)length);
    }
}

static void say(int fd, const void *bytes, size_t length) {
    if (trace >= 0 && fd == STDOUT_FILENO) record("said", fd, 0, bytes, length);
}

ssize_t write(int fd, const void *bytes, size_t length) {
    say(fd, bytes, length);
    ssize_t done = syscall(SYS_write, fd, bytes, length);
    wrote(fd, -1, bytes, done);
    return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
    ssize_t done = syscall(SYS_pwrite64, fd, bytes, length, at);
    wrote(fd, at, bytes, done);
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

/* One part at a time; a caller has to be ready for a short count anyway. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
    ssize_t total = 0;
    for (int part = 0; part < count; part++) {
        if (parts[part].iov_len == 0) continue;
        ssize_t done = write(fd, parts[part].iov_base, parts[part].iov_len);
        if (done < 0) return total > 0 ? total : -1;
        total += done;
        if ((size_t)done < parts[part].iov_len) break;
    }
    return total;
}

int ftruncate64(int fd, off64_t length) {
    int done = (int)syscall(SYS_ftruncate, fd, length);
    if (done == 0 && kind_of(fd)) record("cut", fd, length, "", 0);
    return done;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static void record_directory(int fd) {
    char path[PATH_MAX], file[64], *names = NULL;
    size_t size = 0;
    path_of(fd, path);
    FILE *listing = open_memstream(&names, &size);
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        identity(dirfd(directory), entry->d_name, file, sizeof file);
        fprintf(listing, "%s %s\n", file, entry->d_name);
    }
    if (directory) closedir(directory);
    fclose(listing);
    record("synced", fd, 0, names, size);
    free(names);
}

static int synced(int fd, long number) {
    char path[PATH_MAX];
    path_of(fd, path);
    size_t length = strlen(path), ending = fail_path ? strlen(fail_path) : 0;
    if (ending && length >= ending && strcmp(path + length - ending, fail_path) == 0 &&
        atomic_fetch_add(&fail_seen, 1) + 1 >= fail_from) {
        if (trace >= 0) record("unsynced", fd, 0, "", 0);
        errno = EIO;
        return -1;
    }
    int done = (int)syscall(number, fd);
    mode_t kind = done == 0 ? kind_of(fd) : 0;
    if (S_ISDIR(kind)) record_directory(fd);
    if (S_ISREG(kind)) record("synced", fd, 0, "", 0);
    return done;
}

int fsync(int fd) { return synced(fd, SYS_fsync); }

int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }
