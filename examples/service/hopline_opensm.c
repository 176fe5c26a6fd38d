/* An event plugin for OpenSM, the manager of an InfiniBand subnet: hands its cabling and forwarding tables to
 * `hopline fabric collect` as soon as they are set, from its own memory. No tool has to ask the switches again.
 *
 *   cc -shared -fPIC -O2 -I/usr/include/infiniband -o libhopline_opensm.so hopline_opensm.c
 *
 * (headers: Debian's libopensm-dev and libibumad-dev, of the OpenSM that will load it). In opensm.conf, with the library where the loader
 * finds it:
 *
 *   event_plugin_name hopline_opensm
 *   event_plugin_options hopline_subnet=/run/opensm/subnet
 *
 * and then `hopline fabric collect --watch --from /run/opensm/subnet`. The file is replaced as a whole after each sweep: the cabling as
 * ibnetdiscover prints it, a line `# tables`, and the tables as dump_fts prints them.
 *
 * `hopline_events=/run/opensm/events` writes just a line when routes change and when all are set, for
 * `hopline fabric collect --watch --log /run/opensm/events`. Both may be given, with a comma between. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <opensm/osm_config.h>
#include <opensm/osm_version.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_node.h>
#include <opensm/osm_port.h>
#include <opensm/osm_switch.h>
#include <opensm/osm_event_plugin.h>

static const char EVENTS[] = "hopline_events=";
static const char SUBNET[] = "hopline_subnet=";
static const char USUAL[] = "/var/log/hopline-opensm-events.log";

struct plugin {
	struct osm_opensm *osm;
	/* Events, a line each; -1 where none are wanted. */
	int events;
	/* Where the subnet goes; empty where it is not wanted. */
	char subnet[4096];
};

/* The path behind a key among the options, which all plugins share; 0 where the key is not there. */
static int path_of(const char *options, const char *key, char *path, size_t size)
{
	const char *at = options ? strstr(options, key) : NULL;

	if (!at)
		return 0;
	at += strlen(key);
	snprintf(path, size, "%.*s", (int)strcspn(at, " \t,"), at);
	return 1;
}

static void *create(struct osm_opensm *osm)
{
	const char *options = osm->subn.opt.event_plugin_options;
	char events[4096] = "";
	struct plugin *plugin = calloc(1, sizeof *plugin);
	int wanted;

	if (!plugin)
		return NULL;
	plugin->osm = osm;
	plugin->events = -1;
	wanted = path_of(options, EVENTS, events, sizeof events);
	if (!path_of(options, SUBNET, plugin->subnet, sizeof plugin->subnet) && !wanted) {
		snprintf(events, sizeof events, "%s", USUAL);
		wanted = 1;
	}
	if (wanted)
		plugin->events = open(events, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (wanted && plugin->events < 0) {
		osm_log(&osm->log, OSM_LOG_ERROR, "hopline_opensm: cannot open %s: %s\n", events, strerror(errno));
		free(plugin);
		return NULL;
	}
	return plugin;
}

static void destroy(void *data)
{
	struct plugin *plugin = data;

	if (plugin->events >= 0)
		close(plugin->events);
	free(plugin);
}

/* The time as OpenSM's log has it. */
static const char *now(char text[32])
{
	struct tm parts;
	time_t seconds = time(NULL);

	text[0] = '\0';
	if (gmtime_r(&seconds, &parts))
		strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
	return text;
}

static const char *width(const ib_port_info_t *info)
{
	switch (info->link_width_active) {
	case 1: return "1x";
	case 2: return "4x";
	case 4: return "8x";
	case 8: return "12x";
	case 16: return "2x";
	default: return "?";
	}
}

static const char *speed(const osm_physp_t *port)
{
	/* Active speeds are in the upper four bits. */
	switch (port->port_info.link_speed_ext >> 4) {
	case 1: return "FDR";
	case 2: return "EDR";
	case 4: return "HDR";
	case 8: return "NDR";
	default: break;
	}
	if (port->ext_port_info.link_speed_active & 1)
		return "FDR10";
	switch (ib_port_info_get_link_speed_active(&port->port_info)) {
	case 1: return "SDR";
	case 2: return "DDR";
	case 4: return "QDR";
	default: return "?";
	}
}

static char letter(const osm_node_t *node)
{
	return node->sw ? 'S' : 'H';
}

/* The port that has a node's LID: 0 of a switch, the port itself of an adapter. */
static const osm_physp_t *addressed(const osm_physp_t *port)
{
	return port->p_node->sw ? osm_node_get_physp_ptr(port->p_node, 0) : port;
}

static unsigned lid_of(const osm_physp_t *port)
{
	const osm_physp_t *at = addressed(port);

	return at ? cl_ntoh16(osm_physp_get_base_lid(at)) : 0;
}

/* One end of a cable: the other end with its place, its name, its LID and the speed. */
static void print_port(FILE *out, const osm_physp_t *port)
{
	const osm_physp_t *other = port->p_remote_physp;
	const osm_node_t *from = port->p_node, *to = other->p_node;

	fprintf(out, "[%u]", port->port_num);
	if (!from->sw)
		fprintf(out, "(%" PRIx64 ") ", cl_ntoh64(port->port_guid));
	fprintf(out, "\t\"%c-%016" PRIx64 "\"[%u]", letter(to), cl_ntoh64(to->node_info.node_guid), other->port_num);
	if (!to->sw)
		fprintf(out, "(%" PRIx64 ") ", cl_ntoh64(other->port_guid));
	fprintf(out, "\t\t# ");
	if (!from->sw)
		fprintf(out, "lid %u lmc %u ", lid_of(port), osm_physp_get_lmc(port));
	fprintf(out, "\"%s\" lid %u %s%s\n", to->print_desc, lid_of(other), width(&port->port_info), speed(port));
}

/* A node and its cables, as ibnetdiscover prints them. */
static void print_node(FILE *out, osm_node_t *node)
{
	const ib_node_info_t *info = &node->node_info;
	uint64_t guid = cl_ntoh64(info->node_guid);
	const osm_physp_t *port;
	unsigned number;

	fprintf(out, "vendid=0x%x\ndevid=0x%x\nsysimgguid=0x%" PRIx64 "\n", cl_ntoh32(ib_node_info_get_vendor_id(info)),
		cl_ntoh16(info->device_id), cl_ntoh64(info->sys_guid));
	fprintf(out, "%sguid=0x%" PRIx64, node->sw ? "switch" : "ca", guid);
	if (node->sw) {
		port = osm_node_get_physp_ptr(node, 0);
		fprintf(out, "(%" PRIx64 ")\nSwitch\t%u \"S-%016" PRIx64 "\"\t\t# \"%s\" %s port 0 lid %u lmc %u\n",
			cl_ntoh64(info->port_guid), info->num_ports, guid, node->print_desc,
			ib_switch_info_is_enhanced_port0(&node->sw->switch_info) ? "enhanced" : "base",
			port ? cl_ntoh16(osm_physp_get_base_lid(port)) : 0, port ? osm_physp_get_lmc(port) : 0);
	} else {
		fprintf(out, "\nCa\t%u \"H-%016" PRIx64 "\"\t\t# \"%s\"\n", info->num_ports, guid, node->print_desc);
	}
	for (number = 1; number < osm_node_get_num_physp(node); number++) {
		port = osm_node_get_physp_ptr(node, number);
		if (port && osm_physp_is_valid(port) && port->p_remote_physp)
			print_port(out, port);
	}
	fprintf(out, "\n");
}

/* Where a switch sends what is for each LID, as dump_fts prints it. */
static void print_table(FILE *out, const osm_switch_t *sw)
{
	const osm_node_t *node = sw->p_node;
	unsigned lid, entries = 0;

	fprintf(out, "Unicast lids [0x0-0x%x] of switch Lid %u guid 0x%016" PRIx64 " (%s):\n", sw->max_lid_ho,
		lid_of(&node->physp_table[0]), cl_ntoh64(node->node_info.node_guid), node->print_desc);
	fprintf(out, "  Lid  Out   Destination\n       Port     Info \n");
	for (lid = 1; lid <= sw->max_lid_ho; lid++) {
		unsigned port = osm_switch_get_port_by_lid(sw, lid, OSM_LFT);

		if (port == OSM_NO_PATH)
			continue;
		fprintf(out, "0x%04x %03u \n", lid, port);
		entries++;
	}
	fprintf(out, "%u valid lids dumped \n", entries);
}

/* The subnet as it is now, as a whole or not at all. */
static void hand_over(struct plugin *plugin)
{
	struct osm_opensm *osm = plugin->osm;
	const cl_qmap_t *nodes = &osm->subn.node_guid_tbl, *switches = &osm->subn.sw_guid_tbl;
	const cl_map_item_t *item;
	char draft[sizeof plugin->subnet + sizeof ".draft"], time[32];
	FILE *out;
	int failed;

	snprintf(draft, sizeof draft, "%s.draft", plugin->subnet);
	out = fopen(draft, "we");
	if (!out) {
		osm_log(&osm->log, OSM_LOG_ERROR, "hopline_opensm: cannot write %s: %s\n", draft, strerror(errno));
		return;
	}
	CL_PLOCK_ACQUIRE(&osm->lock);
	fprintf(out, "# Topology file: by the plugin hopline_opensm of %s on %s\n\n", OSM_VERSION, now(time));
	for (item = cl_qmap_head(nodes); item != cl_qmap_end(nodes); item = cl_qmap_next(item))
		print_node(out, (osm_node_t *)item);
	fprintf(out, "# tables\n");
	for (item = cl_qmap_head(switches); item != cl_qmap_end(switches); item = cl_qmap_next(item))
		print_table(out, (const osm_switch_t *)item);
	fprintf(out, "# end\n");
	CL_PLOCK_RELEASE(&osm->lock);
	failed = ferror(out);
	failed |= fclose(out);
	if (failed || rename(draft, plugin->subnet)) {
		osm_log(&osm->log, OSM_LOG_ERROR, "hopline_opensm: cannot write %s: %s\n", plugin->subnet, strerror(errno));
		unlink(draft);
	}
}

/* A line as OpenSM's log has it. One write, so that threads do not mix theirs. */
static void tell(const struct plugin *plugin, const char *what)
{
	char line[128], time[32];
	int length = snprintf(line, sizeof line, "%s -> %s\n", now(time), what);

	if (write(plugin->events, line, (size_t)length) != length)
		/* Nobody to tell: the collector also looks from time to time. */
		return;
}

static void report(void *data, osm_epi_event_id_t event, void *unused)
{
	struct plugin *plugin = data;

	(void)unused;
	if (event != OSM_EVENT_ID_SUBNET_UP && event != OSM_EVENT_ID_HEAVY_SWEEP_START)
		return;
	if (event == OSM_EVENT_ID_SUBNET_UP && plugin->subnet[0])
		hand_over(plugin);
	if (plugin->events >= 0)
		tell(plugin, event == OSM_EVENT_ID_SUBNET_UP ? "SUBNET UP" : "hopline_opensm: heavy sweep");
}

osm_event_plugin_t osm_event_plugin = {
	.osm_version = OSM_VERSION,
	.create = create,
	.delete = destroy,
	.report = report,
};
