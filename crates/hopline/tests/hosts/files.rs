//! What files tell of the inside of a host.

use crate::common::{self, data, network};
use crate::{LSTOPO, MATRIX, XML, between, read};
use hopline::fabric::{Fabric, Inside, LinkRates, Medium};
use hopline::format::HOST_FORMS;
use hopline::id::VertexId;
use hopline::routing::Path;
use std::fs;

#[test]
fn an_nccl_topology_is_a_fabric_of_its_gpus() {
    let f = read(XML).expect("a host");
    let names: Vec<&str> = (0..f.endpoints()).map(|v| f.vertex_name(VertexId(v))).collect();
    assert_eq!(names, ["gpu1", "gpu0", "gpu2"], "in the order of ranks");
    assert_eq!(between(&f, "gpu0", "gpu1"), [("nvlink".to_string(), 80.0)], "both ends tell of the same links");
    assert_eq!(between(&f, "gpu0", "pci-0000:01:00.0"), [("pcie-24".to_string(), 24.0)]);
    assert_eq!(between(&f, "gpu2", "cpu1"), [("pcie-12".to_string(), 12.0)]);
    assert_eq!(between(&f, "mlx5_0", "pci-0000:01:00.0"), [("pcie-12".to_string(), 12.0)]);
    assert_eq!(between(&f, "cpu0", "cpu1"), [("socket".to_string(), 16.0)]);
    assert_eq!((f.hosts().len(), f.hosts().slots()), (1, 3));
}

#[test]
fn what_is_no_host_is_refused_with_a_reason() {
    let bare = XML.lines().filter(|l| !l.contains("<gpu") && !l.contains("<nic")).collect::<Vec<_>>().join("\n");
    let told = |text: &str| read(text).expect_err("refused").to_string();
    assert!(
        told(&bare).starts_with("host.xml:2: no GPU in it: 2 PCI functions are of that class, but bare"),
        "{}",
        told(&bare)
    );
    assert!(
        told(&XML.replace("0000:03:00.0\" class", "0000:02:00.0\" class"))
            .starts_with("host.xml:8: two GPUs have the bus ID")
    );
    assert!(told(&XML.replace("</system>", "")).starts_with("host.xml:"));
    assert!(told("<x><system /></x>").contains("found <x>, expected <system>"));
}

/// Four GPUs of a board have links of their own for each pair, which are fewer than a switch would give them.
#[test]
fn boards_without_switches_join_pairs() {
    let board = |links: u32| {
        let heads: Vec<String> = (0..4).map(|g| format!("GPU{g}")).collect();
        let row = |own: usize| {
            let cells = (0..4).map(|g| if g == own { " X ".to_string() } else { format!("NV{links}") });
            format!("GPU{own}\t{}\t0-15\t0\t\tN/A\n", cells.collect::<Vec<_>>().join("\t"))
        };
        let head = format!("\t{}\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n", heads.join("\t"));
        read(&(head + &(0..4).map(row).collect::<String>())).expect("a host")
    };
    for (links, gb_s) in [(2, 40.0), (4, 80.0)] {
        assert_eq!(between(&board(links), "gpu0", "gpu3"), [("nvlink".to_string(), gb_s)], "NV{links}");
        assert!(board(links).find("nvswitch").is_none());
    }
    assert_eq!(between(&board(12), "gpu0", "nvswitch"), [("nvlink".to_string(), 240.0)]);
}

/// Machines that NVLink joins have their buses alike; NCCL tells them apart by a hash of their names.
#[test]
fn machines_of_one_nvlink_domain_are_one_host() {
    let tray = |hash: &str| {
        let gpu = |n: u32| {
            format!(
                "<pci busid=\"000{n}:01:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"{n}\" sm=\"103\">\
                 <nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/><c2c bw=\"44712\" count=\"5\"/></gpu></pci>"
            )
        };
        let cpu = |n: u32| {
            format!("<cpu host_hash=\"{hash}\" numaid=\"{n}\" arch=\"arm64\">{}{}</cpu>", gpu(2 * n), gpu(2 * n + 1))
        };
        format!("{}{}", cpu(0), cpu(1))
    };
    let form = HOST_FORMS.iter().find(|form| form.name == "nccl-topology").unwrap();
    let inside = |text: &str| (form.read)("domain.xml", text, LinkRates::Nccl).unwrap();
    let one = inside(&format!("<system version=\"2\">{}</system>", tray("0x1")));
    let two = inside(&format!("<system version=\"2\">{}{}</system>", tray("0x1"), tray("0x2")));
    assert_eq!((one.machines, one.processors().len(), two.machines, two.processors().len()), (None, 4, Some(2), 8));
    let sockets = |inside: &Inside| inside.wires.iter().filter(|wire| wire.medium == Medium::Socket).count();
    assert_eq!((sockets(&one), sockets(&two)), (1, 2), "no socket joins two machines");
    let names: Vec<&str> = two.processors().iter().map(|&at| two.parts[at as usize].name.as_str()).collect();
    assert_eq!(names, ["gpu0", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "gpu6", "gpu7"]);
    let nvlinks: Vec<f64> =
        two.wires.iter().filter(|w| w.medium == Medium::NvLink).map(|w| w.bandwidth.as_gb_s()).collect();
    assert!(nvlinks.len() == 8 && nvlinks.iter().all(|rate| (rate - 721.8).abs() < 1e-6), "{nvlinks:?}");
}

#[test]
fn links_of_unknown_generations_and_ports_are_read_as_nccl_reads_them() {
    let text = XML.replace("link_speed=\"8 GT/s\" ", "").replace("speed=\"200000\"", "speed=\"200000000\"");
    let f = read(&text).expect("a host");
    assert_eq!(between(&f, "gpu2", "cpu1"), [("pcie-12".to_string(), 12.0)], "of an unknown speed: generation 3");
    assert!(f.notes().iter().any(|note| note.contains("a speed above 1000 GB/s")), "{:?}", f.notes());
    let lost = read(&XML.replace("target=\"0000:02:00.0\"", "target=\"0000:99:00.0\"")).expect("a host");
    assert!(lost.notes().iter().any(|note| note.starts_with("1 links of GPUs lead to what is not in")));
}

/// The public models: all are hosts of as many GPUs as they have `<gpu>`, whose links go both ways, but the one without.
#[test]
fn public_models_are_read_or_refused() {
    let Some(dir) = data("collectives/nccl-topo") else { return };
    let mut read_all = 0;
    for file in fs::read_dir(dir).unwrap().flatten().map(|entry| entry.path()) {
        if file.extension().is_none_or(|ext| ext != "xml") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let gpus = text.matches("<gpu ").count() as u32;
        let f = match read(&text) {
            Ok(f) => f,
            Err(e) => {
                assert!(
                    gpus == 0 && e.to_string().contains("no GPU in it: 8 PCI functions"),
                    "{}: {e}",
                    file.display()
                );
                continue;
            }
        };
        assert_eq!((f.endpoints(), f.hosts().slots()), (gpus, gpus), "{}", file.display());
        let xgmi = f.link_ids().filter(|&l| f.class_of(l).name.starts_with("xgmi")).count();
        let listed = text.matches("<xgmi ").count();
        assert!(xgmi <= 2 * listed && (xgmi > 0) == (listed > 0), "{}: {xgmi} of {listed}", file.display());
        let fabric = std::sync::Arc::new(f);
        let spec = format!("file:{}", file.display());
        let net = network(&spec, None);
        for (a, b) in (0..gpus).flat_map(|a| (0..gpus).map(move |b| (a, b))) {
            let mut path = Path::default();
            net.routing.path(VertexId(a), VertexId(b), 0, &mut path).unwrap();
            assert!(path.links.len() <= fabric.vertices() as usize, "{spec}");
        }
        read_all += 1;
    }
    assert!(read_all >= 38, "{read_all} read");
}

#[test]
fn lstopo_tells_cores_and_adapters() {
    let form = HOST_FORMS.iter().find(|form| (form.begins)(LSTOPO)).expect("a form");
    assert_eq!(form.name, "hwloc");
    let inside = (form.read)("host.xml", LSTOPO, LinkRates::Nccl).unwrap();
    let f = inside.fabric().unwrap();
    assert_eq!((f.endpoints(), f.hosts().slots()), (2, 4), "a processor for each domain, a slot for each core");
    assert_eq!(between(&f, "numa0", "numa1"), [("socket".to_string(), 22.0)], "Sapphire Rapids");
    assert_eq!(between(&f, "numa1", "pci-0000:80:01.0").len(), 1);
    assert_eq!(between(&f, "pci-0000:80:01.0", "mlx5_0").len(), 1);
    let cores: Vec<(Option<u32>, u32, &[u32])> =
        inside.cores.iter().map(|c| (c.package, c.number, &c.pus[..])).collect();
    assert_eq!(cores, [(Some(0), 0, &[0, 4][..]), (Some(0), 1, &[2, 6]), (Some(1), 0, &[1, 5]), (Some(1), 1, &[3, 7])]);
    let error = (form.read)("host.xml", &LSTOPO.replace("\"Core\"", "\"Heart\""), LinkRates::Nccl).unwrap_err();
    assert!(error.to_string().starts_with("host.xml: no core in it"), "{error}");
}

/// Links of GPUs as hwloc tells them with NVML: to NVSwitches, which stand for one, between two GPUs, and to a package.
#[test]
fn lstopo_tells_links_of_gpus() {
    let gpu = |n: u32| {
        format!(
            "<object type=\"PCIDev\" gp_index=\"1{n}\" pci_type=\"0302 [10de:1db8] [10de:12ba] a1\" pci_link_speed=\"15.75\">\
             <object type=\"OSDev\" gp_index=\"2{n}\" name=\"nvml{n}\"/></object>"
        )
    };
    let switch = |n: u32| {
        format!("<object type=\"PCIDev\" gp_index=\"3{n}\" subtype=\"NVSwitch\" pci_type=\"0680 [10de:1ac2]\"/>")
    };
    let host = |ends: &str, values: &str| {
        let text = format!(
            "<topology version=\"2.0\"><object type=\"Machine\"><object type=\"Package\" gp_index=\"5\">\
             <object type=\"NUMANode\" os_index=\"0\"/><object type=\"Core\" cpuset=\"0x1\"/>{}{}{}{}</object></object>\
             <distances2hetero nbobjs=\"4\" kind=\"25\" name=\"NVLinkBandwidth\"><indexes length=\"1\">{ends}</indexes>\
             <u64values length=\"1\">{values}</u64values></distances2hetero></topology>",
            gpu(0),
            gpu(1),
            switch(0),
            switch(1)
        );
        read(&text).expect("a host")
    };
    let told = |f: &Fabric, a: &str, b: &str| {
        let links = between(f, a, b).into_iter().filter(|(class, _)| class.starts_with("nvlink"));
        links.map(|(_, rate)| rate).collect::<Vec<_>>()
    };
    let ends = "OSDev:20 OSDev:21 PCIDev:30 PCIDev:31";
    let switched = host(ends, "0 0 25000 25000 0 0 25000 25000 25000 25000 0 0 25000 25000 0 0");
    assert_eq!([told(&switched, "gpu0", "nvswitch"), told(&switched, "gpu1", "nvswitch")], [[50.0], [50.0]]);
    let direct = host("OSDev:20 OSDev:21 Package:5", "1000000 40000 0 40000 1000000 20000 0 20000 0");
    assert_eq!([told(&direct, "gpu0", "gpu1"), told(&direct, "gpu1", "numa0")], [[40.0], [20.0]]);
    assert!(told(&direct, "gpu0", "numa0").is_empty() && direct.find("nvswitch").is_none());
    assert!(direct.notes().iter().any(|note| note.starts_with("links of GPUs carry")), "{:?}", direct.notes());
    // Objects that are not there, and cells that are missing.
    let none = host("OSDev:20 OSDev:99 PCIDev:x", "1 2 3 4");
    assert!(none.notes().iter().any(|note| note.starts_with("no links between GPUs in it")), "{:?}", none.notes());
}

/// Files that leave out threads tell those of a core by its set.
#[test]
fn cores_without_threads_have_those_of_their_set() {
    let form = HOST_FORMS.iter().find(|form| form.name == "hwloc").unwrap();
    let bare = "<topology version=\"2.0\"><object type=\"Machine\"><object type=\"Package\"><object type=\"NUMANode\"/>\
        <object type=\"Core\" cpuset=\"0x00000001,0x80000002\"/><object type=\"Core\"/></object></object></topology>";
    let inside = (form.read)("host.xml", bare, LinkRates::Nccl).unwrap();
    let cores: Vec<&[u32]> = inside.cores.iter().map(|core| &core.pus[..]).collect();
    assert_eq!(cores, [&[1, 31, 32][..], &[]]);
}

#[test]
fn the_matrix_of_nvidia_smi_is_a_host() {
    let f = read(MATRIX).expect("a host");
    assert_eq!(f.endpoints(), 3);
    assert_eq!(between(&f, "gpu0", "gpu1"), [("nvlink".to_string(), 80.0)]);
    assert_eq!(
        between(&f, "gpu0", "pcie").len() + between(&f, "gpu1", "pcie").len() + between(&f, "mlx5_2", "pcie").len(),
        3
    );
    assert!(!between(&f, "gpu2", "cpu-2").is_empty() && !between(&f, "mlx5_3", "cpu-2").is_empty());
    // A saved session, and tabs that were lost on the way.
    let pasted = format!("me@node:~$ nvidia-smi topo -m\n{}", MATRIX.replace('\t', "   "));
    assert_eq!(read(&pasted).expect("a host").endpoints(), 3);
    let refused = |text: String| read(&text).expect_err("refused").to_string();
    assert!(refused(MATRIX.replace("NV4", "NVX")).starts_with("host.xml:2: `GPU0` reaches another by `NVX`"));
    assert!(
        refused(MATRIX.replace("GPU2\tSYS\tSYS\t X \tSYS\tNODE\t16-31\t1\t\tN/A\n", "")).contains("no row of `GPU2`")
    );
    let rocm = "=== ROCm System Management Interface ===\n       GPU0         GPU1\nGPU0   0            40\nGPU1   40           0\n\
                       GPU0         GPU1\nGPU0   0            2\nGPU1   2            0\n";
    assert!(refused(rocm.into()).starts_with("host.xml:1: this is what rocm-smi prints"));
    let Some(dir) = data("training/hosts") else { return };
    for (file, gpus, switched) in [("nv8-8gpu-6nic", 8, true), ("pcie-8gpu-2nic", 8, false), ("1gpu-vm", 1, false)] {
        let text = fs::read_to_string(format!("{dir}/nvidia-smi-topo-{file}.txt")).unwrap();
        let f = read(&text).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!((f.endpoints(), f.find("nvswitch").is_some()), (gpus, switched), "{file}");
        let named = if text.contains("NIC Legend") { "mlx5_0" } else { "NIC0" };
        assert_eq!(f.find(named).is_some(), gpus > 1, "{file}");
    }
}

#[test]
fn damaged_hosts_never_panic() {
    let mut random = common::damage::Random(0x5851_f42d_4c95_7f2d);
    let (mut refused, mut read) = (0, 0);
    for round in 0..1500 {
        let mut bytes = [XML, LSTOPO, MATRIX][round % 3].as_bytes().to_vec();
        (0..=random.below(4)).for_each(|_| random.damage(&mut bytes));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for form in HOST_FORMS {
            let begins = (form.begins)(&text);
            match (form.read)("fuzz", &text, LinkRates::Nccl).and_then(|inside| inside.fabric()) {
                Ok(_) => read += usize::from(begins),
                Err(e) => {
                    assert!(e.is_input() && e.to_string().starts_with("fuzz") && !e.to_string().contains('\n'), "{e}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 1000 && read > 100, "{refused} refused, {read} read");
}
