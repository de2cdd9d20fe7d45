//! The way to a broker: a named socket in a folder of its user's alone, never a port, never an abstract name.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use serde_json::json;

use crate::support::leftovers::processes_of;
use crate::support::resident::{Resident, mode, named_sockets, sockets, with_one_broker};
use crate::support::started::until;
use crate::support::{ORDINARY_ID, User, for_each_user, ordinary_user_is_possible, we_are_root};

with_one_broker! {
    fn the_socket_lies_in_a_folder_of_the_user_alone(resident) {
        let (socket, broker) = (resident.socket(), resident.broker());
        let folder = socket.parent().unwrap();
        assert_eq!(folder, resident.place.data().join("broker"));
        assert_eq!(mode(folder), 0o700);
        let owner = fs::metadata(format!("/proc/{}", broker.pid)).unwrap().uid();
        assert_eq!((fs::metadata(folder).unwrap().uid(), fs::metadata(&socket).unwrap().uid()), (owner, owner));
        let name = socket.file_name().unwrap().to_str().unwrap();
        let hash = name.strip_prefix("broker-").and_then(|rest| rest.strip_suffix(".sock")).expect("broker-….sock");
        assert!(hash.len() >= 8 && hash.chars().all(|letter| letter.is_ascii_hexdigit()), "{name}");
    }

    fn nothing_listens_on_a_port_or_under_an_abstract_name(resident) {
        let (broker, zygote) = (resident.broker(), resident.zygote());
        let name = resident.socket().file_name().unwrap().to_str().unwrap().to_string();
        let here = named_sockets("self");
        let own = sockets(broker.pid);
        let names: Vec<&String> = own.iter().filter_map(|inode| here.get(inode)).collect();
        assert!(!names.is_empty() && names.iter().all(|path| path.starts_with('/') && path.ends_with(&name)), "{names:?}");
        for process in [broker.pid, zygote.pid] {
            let held = sockets(process);
            let inside = named_sockets(&process.to_string());
            let abstracts: Vec<_> = inside.iter().filter(|(inode, name)| held.contains(*inode) && name.starts_with('@')).collect();
            assert!(abstracts.is_empty(), "{abstracts:?}");
            for network in ["self".to_string(), process.to_string()] {
                for table in ["tcp", "tcp6", "udp", "udp6", "raw", "raw6", "packet", "netlink"] {
                    let text = fs::read_to_string(format!("/proc/{network}/net/{table}")).unwrap_or_default();
                    let mut words = text.lines().skip(1).flat_map(str::split_whitespace);
                    assert!(!words.any(|word| held.contains(word)), "a socket of kind {table}: {text}");
                }
            }
        }
    }

    fn a_stranger_is_not_let_in(resident) {
        let owner = fs::metadata(resident.socket()).unwrap().uid();
        if !ordinary_user_is_possible("a_stranger_is_not_let_in") {
            return;
        }
        let stranger = if owner == 0 { ORDINARY_ID } else { 0 };
        let (socket, broker) = (resident.socket(), resident.broker());
        let reach = |user: u32| resident.client(Some(user)).does("reach", json!({}));
        assert_eq!(reach(owner)["grant"], "status", "the user itself");
        // Root gets through any folder; then the broker looks at who it is.
        assert_eq!(reach(stranger), if stranger == 0 { "closed" } else { "denied" });
        open_to_all(&socket, 0o777);
        let (answered, seen, ran) = (reach(stranger), resident.status(), resident.runs_right());
        open_to_all(&socket, 0o700);
        assert_eq!(answered, "closed", "a stranger who reaches the socket is not answered");
        assert!(seen["running_broker"] == false && !ran, "a folder that others can write to is not used: {seen}");
        assert!(resident.runs_right(), "closed again, it is used again");
        assert_eq!(resident.broker(), broker);
    }

    fn any_right_for_others_on_the_folder_is_too_much(resident) {
        let folder = resident.socket().parent().unwrap().to_path_buf();
        for given in [0o701, 0o710, 0o740, 0o704, 0o702, 0o1777] {
            fs::set_permissions(&folder, PermissionsExt::from_mode(given)).unwrap();
            let status = resident.status();
            fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
            assert_eq!(status["running_broker"], false, "{given:o}");
        }
        assert_eq!(resident.status()["running_broker"], true);
    }
}

/// Opens folder and socket by hand, or closes them again.
fn open_to_all(socket: &std::path::Path, mode: u32) {
    for path in [socket, socket.parent().unwrap()] {
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }
}

for_each_user! {
    fn a_link_in_place_of_the_folder_is_not_followed(user) {
        let resident = Resident::without_broker(user);
        let elsewhere = resident.place.folder("elsewhere");
        fs::set_permissions(&elsewhere, PermissionsExt::from_mode(0o700)).unwrap();
        let folder = resident.socket().parent().unwrap().to_path_buf();
        symlink(&elsewhere, &folder).unwrap();
        own_link(user, &folder);
        assert!(!resident.runs_right());
        // The launcher of a broker has tried by the time it is gone.
        until("nothing runs any more", || processes_of(&resident.place).is_empty().then_some(()));
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "something was made behind the link");
        assert_eq!(resident.status()["running_broker"], false);
        assert!(!resident.stop());
    }

    fn leftovers_and_links_make_room_for_a_broker(user) {
        let resident = Resident::without_broker(user);
        let socket = resident.socket();
        let folder = resident.place.folder("data/broker");
        fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
        // A link that leads to a broker of somebody else's, or to a file that must stay.
        let precious = resident.place.file("precious", "kept");
        symlink(&precious, &socket).unwrap();
        own_link(user, &socket);
        // What a broker of another build left when it was killed, and what one that lives holds.
        for name in ["broker-dead.sock", "broker-alive.sock"] {
            for ending in ["", ".lock"] {
                resident.place.file(&format!("data/broker/{name}{ending}"), "");
                own_link(user, &folder.join(format!("{name}{ending}")));
            }
            resident.place.folder(&format!("data/broker/{name}.inputs"));
        }
        let alive = fs::File::options().write(true).open(folder.join("broker-alive.sock.lock")).unwrap();
        alive.try_lock().unwrap();
        assert!(!resident.runs_right(), "a link in place of the socket is not followed");
        resident.settled();
        assert!(resident.runs_right());
        assert!(!fs::symlink_metadata(&socket).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(precious).unwrap(), "kept");
        let mut left: Vec<String> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        left.sort();
        let own = socket.file_name().unwrap().to_str().unwrap();
        let mut expected: Vec<String> = [own, "broker-alive.sock"]
            .iter()
            .flat_map(|name| ["", ".inputs", ".lock"].map(|ending| format!("{name}{ending}")))
            .collect();
        expected.sort();
        assert_eq!(left, expected);
    }

    fn the_folder_of_the_login_is_preferred_however_long_its_path(user) {
        let resident = Resident::in_runtime_dir(user, &format!("runtime-{}", "long".repeat(40)));
        assert!(!resident.runs_right());
        resident.settled();
        let socket = resident.socket();
        assert!(socket.parent().unwrap().ends_with("assay") && socket.as_os_str().len() > 108, "{socket:?}");
        assert_eq!(mode(socket.parent().unwrap()), 0o700);
        assert!(resident.runs_right());
        assert!(!resident.place.data().join("broker").exists());
        resident.leaves_nothing();
    }
}

/// Makes a link or file one of the place's user.
fn own_link(user: User, path: &std::path::Path) {
    if user == User::Ordinary && we_are_root() {
        std::os::unix::fs::lchown(path, Some(ORDINARY_ID), Some(ORDINARY_ID)).unwrap();
    }
}
