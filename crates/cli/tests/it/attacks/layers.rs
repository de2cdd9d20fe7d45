//! Each layer is worth its place: left out, exactly these checks fail. What another layer still stops is not in a list;
//! that several stand behind each other is the point.
//!
//! All classes run in one cell that the library makes, once with everything and once with less.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use sandbox::{CellOptions, Environment, Execution, KilledBy, Layer, Outcome, Policy};
use serde_json::json;

use super::checks::{self, Class, Host};
use super::{CLASSES, bombs};
use crate::support::{Place, we_are_root};

/// What a machine's own settings decide, when the filter does not: how its kernel was built, and what is open to all.
const UP_TO_THE_MACHINE: [&str; 8] = [
    "modules_of_the_system",
    "another_system",
    "ports_of_the_machine",
    "perf_event_open",
    "bpf_map",
    "read_the_systems_log",
    "unshare_time",
    "raw_packets",
];

#[test]
fn users() {
    if !we_are_root() {
        return eprintln!("skipped: without the layer of users: only root's cells can do without");
    }
    let failing = "the_user_namespace only_one_user_is_mapped only_one_group_is_mapped groups_cannot_be_chosen";
    fail_without(&[], Layer::Users, failing);
}

#[test]
fn root() {
    fail_without(
        &[],
        Layer::Root,
        "the_old_root_is_not_kept a_file_of_the_host_below_the_old_root everything_else_is_read_only
         set_user_id_means_nothing_anywhere device_files_mean_nothing_anywhere_else
         a_socket_of_the_host_below_the_old_root",
    );
}

#[test]
fn processes() {
    if !we_are_root() {
        return eprintln!("skipped: without the layer of processes: only root's cells can do without");
    }
    // Who does not own the namespace of processes cannot mount its proc, so the users' goes, too.
    fail_without(
        &[Layer::Users],
        Layer::Processes,
        "the_process_namespace numbers_begin_anew no_other_can_be_named signal_everybody
         the_group_of_the_command the_priority_of_the_command the_processors_of_the_command who_is_at_the_other_end",
    );
}

#[test]
fn network() {
    fail_without(
        &[],
        Layer::Network,
        "the_network_namespace no_interface_but_its_own no_route local_sockets_of_the_host_are_not_listed
         a_socket_of_the_host_by_its_abstract_name",
    );
}

#[test]
fn ipc() {
    fail_without(&[], Layer::Ipc, "the_namespace_of_system_v");
}

#[test]
fn host_name() {
    fail_without(&[], Layer::HostName, "the_name_of_the_host the_namespace_of_names");
}

#[test]
fn control_groups() {
    fail_without(&[], Layer::ControlGroups, "the_view_of_control_groups");
}

#[test]
fn capabilities() {
    fail_without(&[], Layer::Capabilities, "no_capability_is_left none_can_come_back");
}

#[test]
fn no_new_privileges() {
    // Neither Landlock nor a filter can be had without it, so that a cell which forgets it does not start.
    let error = Bench::new().run(&[Layer::NoNewPrivileges], Policy::task(), "print(1)").expect_err("it does not start");
    assert!(error.to_string().contains("cannot restrict by Landlock"), "{error}");
    fail_without(&[Layer::Landlock, Layer::Seccomp], Layer::NoNewPrivileges, "no_new_privileges");
}

#[test]
fn landlock() {
    fail_without(
        &[],
        Layer::Landlock,
        "shared_memory_from_a_device feed_the_pool_of_chance be_spared_when_memory_is_short map_more_users
         write_over_read_only_memory",
    );
}

#[test]
fn seccomp() {
    fail_without(
        &[],
        Layer::Seccomp,
        "hold_who_is_at_the_other_end an_attribute_on_a_file make_a_pipe_with_a_name give_a_file_away empty_the_pool_of_chance
         by_open_with_a_say_in_resolving be_traced_by_a_child read_memory_of_a_child
         write_memory_of_a_child hold_a_process take_a_descriptor_of_a_process signal_a_held_process
         advise_on_memory_of_another compare_what_processes_hold limits_of_another run_before_others
         run_by_a_deadline become_root become_another_group open_files_as_another take_capabilities
         calls_are_filtered internet internet_by_datagrams internet_of_version_6 messages_to_the_system
         the_machine_below_this_one ciphers_of_the_system every_other_family a_family_with_high_bits
         a_pair_of_another_family interfaces_asked_of_a_local_socket a_program_in_the_socket
         bind_to_an_interface urgent_data many_messages_at_once io_uring_setup io_uring_register
         userfaultfd the_new_calls_to_mount calls_that_list_mounts clocks_of_the_machine
         accounts_of_the_machine keys pages_from_pipe_to_pipe files_by_handle security_modules
         pages_that_others_have_read where_memory_comes_from unshare_users unshare_nothing setns
         personality modify_ldt seccomp_itself landlock_create landlock_stack seal_memory
         shared_memory_of_system_v semaphores_of_system_v messages_of_system_v queues_of_messages
         memory_that_nobody_sees remap_file_pages execute_a_descriptor watch_files timers_with_signals
         flags_of_a_file an_old_way_to_load_code a_call_that_does_not_exist a_negative_call
         x32_of_a_refused_call x32_of_an_allowed_call x32_of_its_own clone_into_namespaces
         clone_with_flags_in_memory clone_to_be_traced every_other_prctl prctl_with_high_bits
         type_into_a_terminal type_into_a_terminal_with_high_bits share_blocks_of_a_file
         a_lease_on_a_file be_told_of_changes merge_equal_pages drive_pages_out
         read_only_what_is_in_memory files_of_huge_pages a_32_bit_call_whose_number_is_allowed
         a_32_bit_call_whose_number_is_refused",
    );
}

#[test]
fn limits() {
    fail_without(
        &[],
        Layer::Limits,
        "a_file_that_claims_a_terabyte more_files_than_may_be_open raise_a_limit address_space_without_end
         limits_that_stand_behind_others processes_are_limited_without_a_control_group",
    );
}

#[test]
fn scratch() {
    fail_without(&[], Layer::Scratch, "scratch_space_is_one_and_bounded reserve_more_than_there_is");
}

#[test]
fn meter() {
    let bench = Bench::new();
    let policy = Policy { memory_bytes: 96 << 20, ..Policy::task() };
    let program = format!("{}\nmemory_by_many_processes()\n", bombs::TEXT);
    let ends = |without: &[Layer]| {
        let execution = bench.run(without, policy.clone(), &program).expect("the cell starts");
        (execution.outcome, execution.killed_by)
    };
    assert_eq!(ends(&[]), (Outcome::Killed, Some(KilledBy::Memory)));
    assert_eq!(ends(&[Layer::Meter]), (Outcome::Ok, None), "nobody counts over many processes");
}

/// Which checks fail when a layer is left out, beyond those that fail without the others.
#[track_caller]
fn fail_without(others: &[Layer], layer: Layer, names: &str) {
    let named: BTreeSet<String> = names.split_whitespace().map(str::to_string).collect();
    assert!(!named.is_empty(), "a layer without which all checks hold proves nothing");
    let bench = Bench::new();
    static WHOLE: OnceLock<BTreeSet<String>> = OnceLock::new();
    let before = match others {
        [] => WHOLE.get_or_init(|| bench.failing(&[])).clone(),
        _ => bench.failing(others),
    };
    let after = bench.failing(&[others, &[layer]].concat());
    let mut found: BTreeSet<String> = after.difference(&before).cloned().collect();
    found.retain(|name| !UP_TO_THE_MACHINE.contains(&name.as_str()));
    let missing: Vec<&String> = named.difference(&found).collect();
    let more: Vec<&String> = found.difference(&named).collect();
    assert!(missing.is_empty() && more.is_empty(), "without {layer:?}: hold still {missing:#?}, fail too {more:#?}");
}

/// A host to attack, and cells with less than they should have.
struct Bench {
    place: Place,
    host: Host,
}

impl Bench {
    fn new() -> Bench {
        let place = Place::new();
        let host = Host::of(&place);
        Bench { place, host }
    }

    /// The checks of all classes that fail, by name.
    #[track_caller]
    fn failing(&self, without: &[Layer]) -> BTreeSet<String> {
        let classes: Vec<Class> = CLASSES.iter().map(|(class, _)| *class).collect();
        let program = self.host.program(&classes, json!({}), "report()");
        let execution = self.run(without, Policy::task(), &program).expect("the cell starts");
        assert_eq!(execution.outcome, Outcome::Ok, "{execution:?}");
        let checks = checks::printed(&execution.stdout);
        assert_eq!(checks.len(), CLASSES.iter().map(|(_, count)| count).sum::<usize>());
        let is_watched = execution.isolation.is_some_and(|isolation| isolation.memory == "watchdog");
        checks.into_iter().filter(|check| !check.holds(!is_watched)).map(|check| check.name).collect()
    }

    /// Runs a program in a cell without these layers.
    fn run(&self, without: &[Layer], policy: Policy, program: &str) -> Result<Execution, sandbox::Error> {
        let options = CellOptions { without: without.to_vec(), ..CellOptions::of(policy) };
        let environment = Environment::locate(&checks::environment_of(&self.place)).expect("the tests have made it");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let sandbox = environment.sandbox(self.place.program(), data::kernel::MODULES).await.expect("a sandbox");
            sandbox::execute(&sandbox, program, "attack.py", options).await
        })
    }
}
