/* What hopline.h promises, beyond the example: exits 0 where all of it holds. */
#include <hopline.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what)                                                              \
    do {                                                                         \
        if (!(what)) {                                                           \
            char why[256];                                                       \
            hopline_error(why, sizeof why);                                      \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #what, why);         \
            exit(1);                                                             \
        }                                                                        \
    } while (0)

enum { N = 64 };
static uint64_t xadj[N + 1];
static uint32_t adjncy[2 * N];
static const hopline_tasks ring = {N, xadj, adjncy, NULL};

/* A ring of tasks whose neighbours are far apart in number. */
static void make_ring(void)
{
    for (uint32_t i = 0; i < N; i++) {
        xadj[i] = 2 * i;
        adjncy[2 * i] = (i + 27) % N;
        adjncy[2 * i + 1] = (i + N - 27) % N;
    }
    xadj[N] = 2 * N;
}

static int says(const char *part)
{
    char why[512];
    hopline_error(why, sizeof why);
    if (strstr(why, part) == NULL) fprintf(stderr, "expected `%s` in `%s`\n", part, why);
    return strstr(why, part) != NULL;
}

static int is_injection(const uint32_t *slot_of, uint32_t slots)
{
    char *taken = calloc(slots, 1);
    int fine = 1;
    for (int t = 0; t < N; t++) fine = fine && slot_of[t] < slots && !taken[slot_of[t]]++;
    free(taken);
    return fine;
}

static void queries(const hopline_machine *torus)
{
    CHECK(hopline_hosts(torus) == 64 && hopline_slots(torus) == 128);
    CHECK(hopline_first_slot(torus, 0) == 0 && hopline_first_slot(torus, 3) == 6);
    CHECK(hopline_first_slot(torus, 64) == 128 && hopline_first_slot(torus, 4000000000u) == 128);
    CHECK(hopline_host_of(torus, 7) == 3 && hopline_host_of(torus, 128) == HOPLINE_NONE);
    const char *name = hopline_host_name(torus, 5);
    CHECK(name != NULL && hopline_find_host(torus, name) == 5);
    CHECK(hopline_find_host(torus, "nobody") == HOPLINE_NONE && hopline_host_name(torus, 64) == NULL);
    CHECK(hopline_hosts(NULL) == 0 && hopline_host_of(NULL, 0) == HOPLINE_NONE && hopline_find_host(torus, NULL) == HOPLINE_NONE);
}

static void errors(const hopline_machine *torus)
{
    CHECK(hopline_machine_from_spec("torus:dims=4xx4", NULL) == NULL && says("dims"));
    CHECK(hopline_machine_from_spec("torrus:dims=4", NULL) == NULL && says("did you mean `torus`?"));
    CHECK(hopline_machine_from_spec(NULL, NULL) == NULL && says("`topology` is NULL"));
    CHECK(hopline_machine_from_spec("torus:dims=4", "d-mod-k") == NULL && says("routing"));
    CHECK(hopline_machine_from_spec("\xff", NULL) == NULL && says("UTF-8"));
    char small[8] = "1234567";
    CHECK(hopline_error(small, sizeof small) > 7 && strlen(small) == 7);
    CHECK(hopline_error(NULL, 0) > 7);

    uint32_t slot_of[N] = {0};
    hopline_result result;
    hopline_options options = HOPLINE_OPTIONS_INIT;
    CHECK(hopline_map(NULL, &ring, NULL, slot_of, NULL) == HOPLINE_BAD_INPUT && says("`machine` is NULL"));
    CHECK(hopline_map(torus, NULL, NULL, slot_of, NULL) == HOPLINE_BAD_INPUT && says("`tasks` is NULL"));
    CHECK(hopline_map(torus, &ring, NULL, NULL, NULL) == HOPLINE_BAD_INPUT && says("`slot_of` is NULL"));
    options.strategy = "multilevle";
    CHECK(hopline_map(torus, &ring, &options, slot_of, NULL) == HOPLINE_BAD_INPUT && says("did you mean `multilevel`?"));
    options.strategy = NULL;
    options.evaluations = HOPLINE_UNTIL_STOPPED;
    CHECK(hopline_map(torus, &ring, &options, slot_of, NULL) == HOPLINE_BAD_INPUT && says("`go_on` is NULL"));
    options.evaluations = 0;
    const uint32_t few[] = {1, 2, 3}, twice[] = {1, 1};
    options.slot = few, options.slots = 3;
    CHECK(hopline_map(torus, &ring, &options, slot_of, NULL) == HOPLINE_BAD_INPUT && says("64 tasks do not fit into 3 slots"));
    options.slot = twice, options.slots = 2;
    CHECK(hopline_map(torus, &ring, &options, slot_of, NULL) == HOPLINE_BAD_INPUT && says("twice"));

    const uint64_t falls[] = {0, 2, 1};
    const uint32_t outside[] = {0, 7};
    const double negative[] = {1, -1};
    hopline_tasks odd = {2, falls, outside, NULL};
    CHECK(hopline_map(torus, &odd, NULL, slot_of, NULL) == HOPLINE_BAD_INPUT && says("`xadj` does not rise"));
    const uint64_t rises[] = {0, 1, 2};
    odd.xadj = rises;
    CHECK(hopline_map(torus, &odd, NULL, slot_of, NULL) == HOPLINE_BAD_INPUT && says("`adjncy` has 7"));
    const uint32_t inside[] = {1, 0};
    odd.adjncy = inside, odd.bytes = negative;
    CHECK(hopline_map(torus, &odd, NULL, slot_of, NULL) == HOPLINE_BAD_INPUT && says("-1"));
    odd.adjncy = NULL;
    CHECK(hopline_map(torus, &odd, NULL, slot_of, NULL) == HOPLINE_BAD_INPUT && says("`adjncy` points to no array"));
    CHECK(hopline_evaluate(torus, &ring, slot_of, &result) == HOPLINE_BAD_INPUT && says("tasks 0 and 1 are both in slot 0"));
    CHECK(hopline_evaluate(torus, &ring, slot_of, NULL) == HOPLINE_BAD_INPUT && says("`result` is NULL"));
}

static void links(void)
{
    /* Two hosts with two cables each to one switch; host vertices last. */
    const uint64_t at[] = {0, 4, 6, 8};
    const uint32_t to[] = {1, 1, 2, 2, 0, 0, 0, 0}, host[] = {2, 1}, slots[] = {2, 3};
    const double gb_s[] = {5, 10, 5, 10, 10, 5, 5, 10};
    hopline_links rails = {3, at, to, gb_s, 2, host, slots};
    hopline_machine *machine = hopline_machine_from_links(&rails, "up-down");
    CHECK(machine != NULL && hopline_slots(machine) == 5 && hopline_first_slot(machine, 1) == 2);
    /* Slot 1 uses the second cable of host 0 and slot 2 the first of host 1. */
    const uint64_t two[] = {0, 1, 2};
    const uint32_t peer[] = {1, 0}, slot_of[] = {1, 2};
    const double bytes[] = {2e9, 1e9};
    const hopline_tasks pair = {2, two, peer, bytes};
    hopline_result result;
    CHECK(hopline_evaluate(machine, &pair, slot_of, &result) == HOPLINE_OK);
    CHECK(fabs(result.seconds - 0.4) < 1e-12 && result.hop_bytes == 0 && result.bound <= 0.4);
    hopline_machine_free(machine);

    double uneven[] = {5, 10, 5, 10, 10, 5, 5, 11};
    rails.gb_s = uneven;
    CHECK(hopline_machine_from_links(&rails, NULL) == NULL && says("a cable between 0 and 2 does not stand at both"));
    rails.gb_s = gb_s, rails.host = to;
    CHECK(hopline_machine_from_links(&rails, NULL) == NULL && says("vertex 1 stands twice"));
    rails.host = host;
    CHECK(hopline_machine_from_links(&rails, "dor") == NULL && says("routing `dor` needs more than links"));
    CHECK(hopline_machine_from_links(NULL, NULL) == NULL && says("`links` is NULL"));

    /* A ring of routers: 4 hosts, 4 hops in all for a ring of tasks in order. */
    const uint64_t ring_at[] = {0, 2, 4, 6, 8};
    const uint32_t ring_to[] = {1, 3, 0, 2, 1, 3, 2, 0}, order[] = {0, 1, 2, 3}, crossed[] = {0, 2, 1, 3};
    const hopline_links direct = {4, ring_at, ring_to, NULL, 4, NULL, NULL};
    const hopline_tasks four = {4, ring_at, ring_to, NULL};
    machine = hopline_machine_from_links(&direct, NULL);
    CHECK(machine != NULL && hopline_evaluate(machine, &four, order, &result) == HOPLINE_OK);
    CHECK(result.hop_bytes == 8 && result.max_load == 1);
    CHECK(hopline_evaluate(machine, &four, crossed, &result) == HOPLINE_OK && result.hop_bytes == 12);
    uint32_t found[4];
    CHECK(hopline_map(machine, &four, NULL, found, &result) == HOPLINE_OK && result.hop_bytes == 8);
    hopline_machine_free(machine);
}

static int asked;
static int three_times(void *limit)
{
    return ++asked < *(int *)limit;
}

static void budgets(const hopline_machine *torus)
{
    uint32_t slot_of[N];
    hopline_result none, some, stopped;
    hopline_options options = HOPLINE_OPTIONS_INIT;
    options.strategy = "default";
    CHECK(hopline_map(torus, &ring, &options, slot_of, &none) == HOPLINE_OK && slot_of[9] == 9 && none.evaluations == 0);
    options.evaluations = 20000;
    CHECK(hopline_map(torus, &ring, &options, slot_of, &some) == HOPLINE_OK && is_injection(slot_of, 128));
    CHECK(some.seconds < none.seconds && some.evaluations > 0 && some.bound <= some.seconds);
    int limit = 3;
    options.evaluations = HOPLINE_UNTIL_STOPPED;
    options.go_on = three_times;
    options.user = &limit;
    CHECK(hopline_map(torus, &ring, &options, slot_of, &stopped) == HOPLINE_OK && is_injection(slot_of, 128));
    CHECK(asked == 3 && stopped.seconds <= none.seconds);
    /* Stopped at once: the launcher's order. */
    asked = 0, limit = 0;
    options.strategy = "greedy";
    CHECK(hopline_map(torus, &ring, &options, slot_of, NULL) == HOPLINE_OK && is_injection(slot_of, 128) && asked == 1);
}

static void allocations(const hopline_machine *torus)
{
    /* Every odd slot, downwards, and three tasks pinned. */
    uint32_t slot[N], pin[N], slot_of[N];
    for (uint32_t i = 0; i < N; i++) {
        slot[i] = 127 - 2 * i;
        pin[i] = HOPLINE_NONE;
    }
    pin[5] = 127, pin[6] = 1, pin[63] = 65;
    const char *const strategies[] = {"default", "random", "greedy", "multilevel:evaluations=2000",
                                      "congestion-search:evaluations=2000", "best"};
    hopline_options options = HOPLINE_OPTIONS_INIT;
    options.slot = slot, options.slots = N, options.pin = pin, options.evaluations = 3000;
    for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++) {
        options.strategy = strategies[s];
        CHECK(hopline_map(torus, &ring, &options, slot_of, NULL) == HOPLINE_OK && is_injection(slot_of, 128));
        CHECK(slot_of[5] == 127 && slot_of[6] == 1 && slot_of[63] == 65);
        for (int t = 0; t < N; t++) CHECK(slot_of[t] % 2 == 1);
    }
    pin[7] = 2;
    CHECK(hopline_map(torus, &ring, &options, slot_of, NULL) == HOPLINE_BAD_INPUT && says("task 7 is pinned to slot 2"));
    pin[7] = 1;
    CHECK(hopline_map(torus, &ring, &options, slot_of, NULL) == HOPLINE_BAD_INPUT && says("tasks 6 and 7 are both pinned"));
}

static void objectives(const hopline_machine *torus)
{
    uint32_t slot_of[N], forbid[3] = {0, 1, 64};
    hopline_result links, ways;
    hopline_options options = HOPLINE_OPTIONS_INIT;
    options.strategy = "random", options.evaluations = 20000, options.forbid = forbid, options.forbidden = 3;
    CHECK(hopline_map(torus, &ring, &options, slot_of, &links) == HOPLINE_OK && is_injection(slot_of, 128));
    for (int t = 0; t < N; t++) CHECK(slot_of[t] != 0 && slot_of[t] != 1 && slot_of[t] != 64);
    options.objective = "hop-bytes";
    CHECK(hopline_map(torus, &ring, &options, slot_of, &ways) == HOPLINE_OK && is_injection(slot_of, 128));
    CHECK(ways.hop_bytes <= links.hop_bytes && 0 < ways.hop_bound && ways.hop_bound <= ways.hop_bytes);
    options.objective = "speed";
    CHECK(hopline_map(torus, &ring, &options, slot_of, NULL) == HOPLINE_BAD_INPUT && says("speed"));
    options.objective = NULL, forbid[1] = 128;
    CHECK(hopline_map(torus, &ring, &options, slot_of, NULL) == HOPLINE_BAD_INPUT && says("forbid"));
}

struct job {
    const hopline_machine *machine;
    uint32_t threads;
    uint32_t slot_of[N];
    hopline_result result;
};

static void *work(void *pointer)
{
    struct job *job = pointer;
    hopline_options options = HOPLINE_OPTIONS_INIT;
    options.strategy = "best";
    options.evaluations = 5000;
    options.seed = 7;
    options.threads = job->threads;
    CHECK(hopline_map(job->machine, &ring, &options, job->slot_of, &job->result) == HOPLINE_OK);
    CHECK(hopline_machine_from_spec("nonsense", NULL) == NULL && says("nonsense"));
    return NULL;
}

static void threads(const hopline_machine *torus)
{
    struct job jobs[4];
    pthread_t ids[4];
    for (uint32_t i = 0; i < 4; i++) {
        jobs[i].machine = torus;
        jobs[i].threads = i;
        CHECK(pthread_create(&ids[i], NULL, work, &jobs[i]) == 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(ids[i], NULL);
    for (int i = 1; i < 4; i++) CHECK(memcmp(jobs[0].slot_of, jobs[i].slot_of, sizeof jobs[0].slot_of) == 0);
}

int main(void)
{
    make_ring();
    CHECK(strlen(hopline_version()) >= 5);
    hopline_machine *torus = hopline_machine_from_spec("torus:dims=4x4x4,slots=2", "dor");
    CHECK(torus != NULL);
    queries(torus);
    errors(torus);
    links();
    budgets(torus);
    allocations(torus);
    objectives(torus);
    threads(torus);
    hopline_machine_free(torus);
    hopline_machine_free(NULL);
    puts("all checks passed");
    return 0;
}
