//! Machines: cabling, tables, forms of others, insides of hosts, names and roles of hosts.

use crate::Target;
use crate::plain::{answers, taken, text};
use hopline::fabric::LinkRates;
use hopline::format::service_levels::ServiceLevels;
use hopline::format::{self, HOST_FORMS, cray_xc, fabric_json, hostlist, ibnetdiscover, lft, ndt, slurm_partition};
use hopline_formats::FABRIC_IMPORTS;
use hopline_service::{atlas, collect};

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "ibnetdiscover",
        about: "cabling as ibnetdiscover prints it, in both forms, whole or not, and the fabric that it makes",
        seeds: &[
            "fabrics/lmc1-8/ibnetdiscover.txt",
            "fabrics/lmc1-8/ibnetdiscover_p.txt",
            "fabrics/ring5-lash/ibnetdiscover.txt",
        ],
        reads: &["hopline/format/ibnetdiscover", "hopline/format/infiniband"],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            let whole = taken(ibnetdiscover::parse("fuzz", &text)).is_some();
            let Some(cabling) = taken(ibnetdiscover::parse_partial("fuzz", &text)) else {
                assert!(!whole, "what is whole is also partial");
                return false;
            };
            taken(atlas::build(&cabling, &lft::Tables::default()));
            answers("fabric check --fabric fuzz", data)
        },
    },
    Target {
        name: "lft",
        about: "forwarding tables of all tools, and the repair of a lost top LID",
        seeds: &[
            "fabrics/lmc1-8/dump_fts_n.txt",
            "fabrics/lmc1-8/dump_lfts.txt",
            "fabrics/lmc1-8/opensm-lfts.dump",
            "fabrics/lmc1-8/ibroute/lid-4.txt",
        ],
        reads: &["hopline/format/lft", "hopline-service/collect/lost_lid"],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            let read = taken(lft::parse("fuzz", &text, &mut lft::Tables::default())).is_some();
            let lost = collect::losers(&text);
            let ports = lost.keys().map(|guid| (*guid, 1)).collect();
            let _ = collect::with_ports(&text, &ports);
            read && lft::is_tables(&text)
        },
    },
    Target {
        name: "service-levels",
        about: "path records and SL2VL tables",
        seeds: &["fabrics/ring5-lash/path-records.txt", "fabrics/ring5-lash/opensm-sl2vl.dump"],
        reads: &["hopline/format/service_levels"],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            let paths = taken(ServiceLevels::default().read_paths("fuzz", &text)).is_some();
            let lanes = taken(ServiceLevels::default().read_lanes("fuzz", &text)).is_some();
            paths || lanes
        },
    },
    Target {
        name: "cray-xc",
        about: "cabling of Cray XC machines",
        seeds: &["fabrics/xc-mini.interconnect"],
        reads: &["hopline/format/cray_xc", "hopline/topology/cray_xc"],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            let Some(cabling) = taken(cray_xc::parse("fuzz", &text)) else { return false };
            cray_xc::is_interconnect(&text)
                && taken(cray_xc::build("fuzz", &cabling, &cray_xc::Rates::default())).is_some()
        },
    },
    Target {
        name: "fabric-json",
        about: "a fabric in our own JSON, shown, checked and loaded",
        seeds: &["blame/racks24/fabric.json"],
        reads: &["hopline/format/fabric_json", "hopline/topology/file"],
        made: Vec::new,
        run: |data| {
            let Some(_) = taken(fabric_json::read("fuzz", &text(data))) else { return false };
            answers("fabric show --fabric fuzz", data) | answers("load --topology file:fuzz --traffic alltoall", data)
        },
    },
    Target {
        name: "fabric-import",
        about: "every form of a fabric: JSON, GraphML, DOT, Slurm's files, topograph, InfraGraph, UFM, iblinkinfo, Cray XC",
        seeds: &[
            "fabrics/others/topograph-nvl72.yaml",
            "fabrics/others/infragraph-clos.yaml",
            "fabrics/others/infragraph-dgx-h100.yaml",
            "fabrics/others/ufm-links.json",
            "fabrics/others/ufm-links-described.json",
            "fabrics/lmc1-8/iblinkinfo.txt",
            "fabrics/lmc1-8/iblinkinfo_line.txt",
        ],
        reads: &[
            "hopline-formats/dot",
            "hopline-formats/graph",
            "hopline-formats/graphml",
            "hopline-formats/iblinkinfo",
            "hopline-formats/infragraph",
            "hopline-formats/slurm_topology",
            "hopline-formats/topograph",
            "hopline-formats/ufm_links",
            "hopline-formats/yaml",
        ],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            let mut known = false;
            for form in format::FABRIC_IMPORTS.iter().chain(FABRIC_IMPORTS) {
                let read = taken((form.read)("fuzz", &text)).is_some();
                known |= (form.begins)(&text) && read;
            }
            known && answers("load --topology file:fuzz --traffic alltoall", data)
        },
    },
    Target {
        name: "host-forms",
        about: "insides of hosts (NCCL's topologies, hwloc's, nvidia-smi's matrix)",
        seeds: &[],
        reads: &[
            "hopline/format/host_forms",
            "hopline/format/gpu_matrix",
            "hopline/format/hwloc",
            "hopline/format/nccl_topology",
            "hopline/format/xml",
            "hopline/topology/host",
        ],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            let mut known = false;
            for form in HOST_FORMS {
                for rates in [LinkRates::Nccl, LinkRates::Raw] {
                    let read = (form.read)("fuzz", &text, rates).and_then(|inside| inside.fabric());
                    known |= (form.begins)(&text) && taken(read).is_some();
                }
            }
            known && answers("fabric show --fabric fuzz", data)
        },
    },
    Target {
        name: "host-list",
        about: "Slurm host lists and partitions, files of hosts and names of hosts",
        seeds: &[
            "=node[01-02,07],login1\n",
            "=node01\nnode02:2\n# a comment\nnode03 slots=4\n",
            "=PartitionName=gpu\n   AllowGroups=ALL\n   Nodes=node[00-03]\n   State=UP TotalCPUs=8 TotalNodes=4\n",
            "=PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\ngpu*         up   infinite      4   idle node[00-03]\n",
            "=NodeName=node01 Arch=x86_64 CoresPerSocket=4\n   Partitions=gpu,all\n\nNodeName=node02\n   Partitions=all\n",
        ],
        reads: &[
            "hopline/format/hostlist",
            "hopline/format/slurm_partition",
            "hopline/plan/allocation",
            "hopline/topology/names",
        ],
        made: Vec::new,
        run: |data| {
            let list = text(data);
            let mut known = taken(hostlist::expand(&list)).is_some();
            known |= taken(slurm_partition::partition("fuzz", &list, "gpu")).is_some();
            known |= answers("load --topology tree:arity=2x4 --traffic alltoall --hosts fuzz", data);
            known |= answers("load --topology tree:arity=2x4 --traffic alltoall --hosts @partition:gpu:fuzz", data);
            known | answers("fabric show --fabric tree:arity=2x4,names=fuzz", data)
        },
    },
    Target {
        name: "plan-of-cables",
        about: "a plan of cables, beside a machine",
        seeds: &["fabrics/rack64-plan.csv"],
        reads: &["hopline/format/ndt"],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            taken(ndt::parse("fuzz", &text)).is_some() && ndt::is_plan(&text)
        },
    },
];
