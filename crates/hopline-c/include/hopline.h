/* Hopline: where to put the tasks of a job on a network.
 *
 * A machine is built once, from a spec string or from arrays. It never changes,
 * so any number of threads may map onto it at the same time. A job is the graph
 * of who sends how many bytes to whom. hopline_map gives every task a slot, a
 * place for one task on a host; hopline_evaluate tells what a mapping is worth.
 *
 * Hosts, slots, vertices and tasks are numbered from 0. Slots are numbered host
 * by host. Arrays belong to the caller and are read during the call only.
 * Results depend on the inputs and the seed, not on the number of threads,
 * unless go_on ends a search.
 *
 * Functions that fail return NULL or a code other than HOPLINE_OK, and write
 * nothing; hopline_error then has the reason. Nothing is printed.
 */
#ifndef HOPLINE_H
#define HOPLINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Codes. */
enum {
    HOPLINE_OK = 0,
    HOPLINE_FAILED = 1,    /* the input is fine, but this could not be done */
    HOPLINE_BAD_INPUT = 2, /* the message says what is wrong with it */
    HOPLINE_BUG = 3        /* the library is at fault: please report the message */
};

/* No slot, no host. */
#define HOPLINE_NONE UINT32_MAX

/* Search until go_on says stop. */
#define HOPLINE_UNTIL_STOPPED UINT64_MAX

/* "0.1.0". Structures may grow and codes may be added where the second number
 * differs: compile and run with the same. */
const char *hopline_version(void);

/* Copies the message of this thread's last failed call into `buffer`, cut to
 * size - 1 bytes and ended by a zero byte; returns its whole length in bytes.
 * UTF-8, one line. `buffer` may be NULL where `size` is 0. */
size_t hopline_error(char *buffer, size_t size);

/* ---- machines ---- */

typedef struct hopline_machine hopline_machine;

/* A machine by spec strings, as `hopline map --topology TOPOLOGY --routing
 * ROUTING` takes them: "torus:dims=16x16x16", "file:PATH" (dumps of a real
 * machine), "percs:ns=32,nd=4,slots=4". `routing` may be NULL for the
 * topology's own. NULL on failure. */
hopline_machine *hopline_machine_from_spec(const char *topology, const char *routing);

/* A machine from arrays. Vertices are hosts and switches; the neighbours of
 * vertex v are adjncy[xadj[v]] up to adjncy[xadj[v + 1] - 1]. A cable stands at
 * both its ends with the same bandwidth; several cables between two vertices
 * stand several times. A host whose cables all lead to switches passes nothing
 * on, and its slots use its cables in turn; any other host is a router too. */
typedef struct hopline_links {
    uint32_t vertices;
    const uint64_t *xadj;   /* vertices + 1 offsets, from 0 */
    const uint32_t *adjncy;
    const double *gb_s;     /* GB/s (10^9 bytes) each way; NULL: 1 for all */
    uint32_t hosts;         /* number of hosts */
    const uint32_t *host;   /* their vertices; NULL: vertices 0 to hosts - 1 */
    const uint32_t *slots;  /* tasks that each takes; NULL: 1 for all */
} hopline_links;

/* `routing` is "shortest" (also NULL: ties spread evenly) or "up-down".
 * Hosts are called h0, h1, ... NULL on failure. */
hopline_machine *hopline_machine_from_links(const hopline_links *links, const char *routing);

/* Frees a machine that is not in use; NULL does nothing. */
void hopline_machine_free(hopline_machine *machine);

/* Number of hosts and of slots; 0 where `machine` is NULL. */
uint32_t hopline_hosts(const hopline_machine *machine);
uint32_t hopline_slots(const hopline_machine *machine);

/* The slots of host h are first_slot(h) up to first_slot(h + 1) - 1;
 * first_slot(number of hosts) is the number of slots. */
uint32_t hopline_first_slot(const hopline_machine *machine, uint32_t host);

/* The host of a slot, or HOPLINE_NONE. */
uint32_t hopline_host_of(const hopline_machine *machine, uint32_t slot);

/* The name of a host, valid as long as the machine; NULL where there is none. */
const char *hopline_host_name(const hopline_machine *machine, uint32_t host);

/* The host of that name, or HOPLINE_NONE. O(hosts). */
uint32_t hopline_find_host(const hopline_machine *machine, const char *name);

/* ---- mapping ---- */

/* The job: task t sends bytes[i] to task adjncy[i] for i from xadj[t] up to
 * xadj[t + 1] - 1. An undirected graph has every edge in the rows of both ends.
 * Several entries of one pair add up. */
typedef struct hopline_tasks {
    uint32_t count;
    const uint64_t *xadj;  /* count + 1 offsets, from 0 */
    const uint32_t *adjncy;
    const double *bytes;   /* NULL: 1 for all */
} hopline_tasks;

/* How to map. Start from HOPLINE_OPTIONS_INIT and set what differs. */
typedef struct hopline_options {
    /* A mapping as `hopline list mapping` names them: "multilevel" (also NULL;
     * fewest hop-bytes), "greedy", "default" (task t in the t-th allowed slot),
     * "congestion-search:evaluations=100000" (least busy hottest link), ... */
    const char *strategy;
    /* So many exchanges of tasks are then tried to lower the objective, which is
     * the busiest link where none is named; HOPLINE_UNTIL_STOPPED: until go_on
     * says stop. */
    uint64_t evaluations;
    uint64_t seed;
    uint32_t threads;     /* 0: one for each core */
    /* The slots that may be used, in the order in which a launcher fills them;
     * NULL: all of the machine. */
    uint32_t slots;
    const uint32_t *slot;
    /* Per task: the slot in which it must sit, or HOPLINE_NONE; NULL: none. */
    const uint32_t *pin;
    /* Asked from time to time, one call at a time, from threads of the library;
     * 0 is stop: the best mapping so far is given, the one of "default" where
     * there is none yet. It must return, and throw nothing. NULL: go on. */
    int (*go_on)(void *user);
    void *user;
    /* What makes a mapping better, as --objective says it: "congestion" (also
     * NULL), "hop-bytes", "hop-bytes,congestion", ...; `evaluations` lower the
     * first of them, and strategies that compare take it too. */
    const char *objective;
    /* Slots that may not be used, whatever `slot` says; NULL: none. */
    uint32_t forbidden;
    const uint32_t *forbid;
} hopline_options;

#define HOPLINE_OPTIONS_INIT {NULL, 0, 0, 1, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL}

/* What a mapping is worth. */
typedef struct hopline_result {
    /* Bytes x hops between routers, or x the distance= of a tree. Of an
     * undirected graph this is twice the J of the mapping literature. */
    double hop_bytes;
    double max_load; /* bytes over the busiest link between routers */
    /* For so long the busiest link is busy, host links included where they have
     * a bandwidth; and a proven lower bound for all mappings, 0 where none is
     * known. seconds / bound tells how much better any mapping could be. */
    double seconds;
    double bound;
    /* What a host sends in a second while the busiest link is always busy, in
     * GB/s (10^9 bytes); 0 where no link limits it. */
    double gb_s;
    uint64_t evaluations; /* exchanges that were tried after the strategy */
    double hop_bound;     /* a proven lower bound on hop_bytes, or 0 */
} hopline_result;

/* Writes the slot of every task to slot_of[0] up to slot_of[count - 1], no slot
 * twice. `options` may be NULL for HOPLINE_OPTIONS_INIT, `result` NULL. */
int hopline_map(const hopline_machine *machine, const hopline_tasks *tasks, const hopline_options *options,
                uint32_t *slot_of, hopline_result *result);

/* What a mapping is worth that is given. */
int hopline_evaluate(const hopline_machine *machine, const hopline_tasks *tasks, const uint32_t *slot_of,
                     hopline_result *result);

#ifdef __cplusplus
}
#endif

#endif
