/* Preloaded into MPICH on UCX: messages and bytes that it hands to each
 * endpoint, in the order in which it makes endpoints (that of ranks). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define MOST 64

size_t counted[2][MOST];
static void *ends[MOST];
static int known;

int ucp_ep_create(void *worker, const void *params, void **end) {
    int (*next)(void *, const void *, void **) = dlsym(RTLD_NEXT, "ucp_ep_create");
    int status = next(worker, params, end);
    if (known < MOST) ends[known++] = *end;
    return status;
}

void *ucp_tag_send_nbx(void *end, const void *buffer, size_t count, uint64_t tag, const void *param) {
    static void *(*next)(void *, const void *, size_t, uint64_t, const void *);
    if (!next) next = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
    for (int i = 0; i < known; i++)
        if (ends[i] == end) counted[0][i]++, counted[1][i] += count;
    return next(end, buffer, count, tag, param);
}
