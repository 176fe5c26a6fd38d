/* An event plugin for OpenSM: tells `hopline fabric collect --watch` at once when routes change and when all are set,
 * whatever OpenSM does with its own log.
 *
 *   cc -shared -fPIC -O2 -I/usr/include/infiniband -o libhopline_opensm.so hopline_opensm.c
 *
 * (headers: Debian's libopensm-dev and libibumad-dev, of the OpenSM that will load it). In opensm.conf, with the library where the loader
 * finds it:
 *
 *   event_plugin_name hopline_opensm
 *   event_plugin_options hopline_events=/run/opensm/events
 *
 * and then `hopline fabric collect --watch --log /run/opensm/events`. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <opensm/osm_config.h>
#include <opensm/osm_version.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_event_plugin.h>

static const char KEY[] = "hopline_events=";
static const char USUAL[] = "/var/log/hopline-opensm-events.log";

struct plugin {
	int file;
};

/* The path behind our key among the options, which all plugins share. */
static void path_of(const char *options, char *path, size_t size)
{
	const char *at = options ? strstr(options, KEY) : NULL;
	if (at)
		at += strlen(KEY);
	else
		at = USUAL;
	snprintf(path, size, "%.*s", (int)strcspn(at, " \t,"), at);
}

static void *create(struct osm_opensm *osm)
{
	char path[4096];
	struct plugin *plugin = malloc(sizeof *plugin);

	if (!plugin)
		return NULL;
	path_of(osm->subn.opt.event_plugin_options, path, sizeof path);
	plugin->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (plugin->file < 0) {
		osm_log(&osm->log, OSM_LOG_ERROR, "hopline_opensm: cannot open %s\n", path);
		free(plugin);
		return NULL;
	}
	return plugin;
}

static void destroy(void *data)
{
	struct plugin *plugin = data;

	close(plugin->file);
	free(plugin);
}

/* A line as OpenSM's log has it. One write, so that threads do not mix theirs. */
static void report(void *data, osm_epi_event_id_t event, void *unused)
{
	struct plugin *plugin = data;
	const char *what;
	char line[128], now[32] = "";
	struct tm parts;
	time_t seconds = time(NULL);
	int length;

	(void)unused;
	if (event == OSM_EVENT_ID_SUBNET_UP)
		what = "SUBNET UP";
	else if (event == OSM_EVENT_ID_HEAVY_SWEEP_START)
		what = "hopline_opensm: heavy sweep";
	else
		return;
	if (gmtime_r(&seconds, &parts))
		strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &parts);
	length = snprintf(line, sizeof line, "%s -> %s\n", now, what);
	if (write(plugin->file, line, (size_t)length) != length)
		/* Nobody to tell: the collector also looks from time to time. */
		return;
}

osm_event_plugin_t osm_event_plugin = {
	.osm_version = OSM_VERSION,
	.create = create,
	.delete = destroy,
	.report = report,
};
