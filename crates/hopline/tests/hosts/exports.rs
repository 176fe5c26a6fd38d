//! Hosts with an inside as JSON and for launchers.

use crate::common::fabric;
use crate::{LSTOPO, MATRIX, POD, XML, read};
use hopline::entry::Listed as _;
use hopline::fabric::Fabric;
use hopline::files::Memory;
use hopline::id::{HostId, LinkId};
use hopline::plan::Network;
use hopline::scenario::Scenario;

/// A fabric whose hosts have insides comes back as it was: also with rails, slots, cores, and of a host alone.
#[test]
fn insides_come_back_from_json() {
    use hopline::format::{FABRIC_IMPORTS, FabricSource, JSON};
    let write = |f: &Fabric| (JSON.write)(&FabricSource { fabric: f, lids: None, tables: None });
    let json = FABRIC_IMPORTS.iter().find(|form| form.name == "json").unwrap();
    let files = Memory([("host.xml".to_string(), LSTOPO.as_bytes().to_vec())].into());
    let cores = Network::new(&Scenario::default().topology("full-mesh:n=2,host=host.xml").unwrap(), &files).unwrap();
    let mut all = vec![(*cores.fabric).clone(), read(XML).unwrap(), read(MATRIX).unwrap()];
    all.push(fabric("fat-tree:pods=1,servers=2,adapters=72,bandwidth=50,host=gb200-nvl72").1);
    for spec in ["", ",rails=stripe", ",rails=3", ",slots=4,host=epyc-2s"] {
        let pod = if spec.contains("host=") { POD.replace(",host=dgx-h100", "") } else { POD.into() };
        all.push(fabric(&format!("{pod}{spec}")).1);
    }
    for f in &all {
        let text = write(f).unwrap();
        let back = (json.read)("f", &text).unwrap_or_else(|e| panic!("{}: {e}", f.name())).machine.fabric;
        assert!(back == *f, "{}", f.name());
        assert_eq!(write(&back).unwrap(), text);
    }
    let text = write(&fabric(POD).1).unwrap();
    for (from, to, error) in [
        ("\"medium\":\"nvlink\"", "\"medium\":\"rope\"", "the medium is `rope`"),
        ("\"a\":\"gpu0\"", "\"a\":\"gpu9\"", "no part is called `gpu9`"),
    ] {
        let changed = text.replace(&from.replace(':', ": "), to).replace(from, to);
        let found = (json.read)("f", &changed).err().expect(to).to_string();
        assert!(found.starts_with("f:") && found.contains(error), "{found}");
    }
    // What faults took out of a host is told nowhere.
    assert!(write(&fabric(POD).1.without(&[LinkId(0)])).is_err());
}

#[test]
fn launcher_files_bind_where_cores_are_known() {
    use hopline::format::EXPORTS;
    use hopline::mapping::Mapping;
    let files = Memory([("host.xml".to_string(), LSTOPO.as_bytes().to_vec())].into());
    let net = Network::new(&Scenario::default().topology("full-mesh:n=2,host=host.xml").unwrap(), &files).unwrap();
    let slots = net.fabric.slots();
    let mapping = Mapping::new(slots.iter().rev().copied().collect(), &net.fabric).unwrap();
    let placement = mapping.placement(&net.fabric, &slots);
    let text = |name: &str| {
        let export = EXPORTS.iter().find(|export| export.entry().name == name).unwrap();
        export.write(&placement).unwrap()
    };
    let ranks = text("rankfile");
    assert!(ranks.contains("rank 0=r1 slot=1:1\nrank 1=r1 slot=1:0\nrank 2=r1 slot=0:1\n"), "{ranks}");
    assert!(text("hydra-bind").ends_with("-bind-to user:3+7,1+5,2+6,0+4\n"));
    assert!(text("srun-cpu-bind").ends_with("--cpu-bind=mask_cpu:0x88,0x22,0x44,0x11\n"));
    assert!(text("wrapper").contains("\n3) threads=0,4 ;;\n"));
    // A host alone is called as hwloc saw it, or as one says, so that its rankfile runs.
    let (own, arch) = (LSTOPO.to_string(), "<info name=\"Architecture\" value=\"x86_64\"/>");
    let named = own.replace(arch, &format!("{arch}<info name=\"HostName\" value=\"n7\"/>"));
    for (text, topology, name) in [
        (&own, "file:host.xml", "host"),
        (&named, "file:host.xml", "n7"),
        (&own, "file:host.xml,names=[localhost,]", "localhost"),
    ] {
        let files = Memory([("host.xml".to_string(), text.as_bytes().to_vec())].into());
        let net = Network::new(&Scenario::default().topology(topology).unwrap(), &files).unwrap();
        assert_eq!(net.fabric.hosts().name(HostId(0)), name);
    }
}
