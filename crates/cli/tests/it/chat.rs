//! `assay chat`: a session over one dataset. On a terminal it is typed into for real, through a pseudo terminal.

use std::fs;

use crate::support::Place;

#[test]
fn questions_continue_and_what_was_answered_can_be_looked_at_and_taken_along() {
    let place = Place::new();
    place.json(0, &["demo", "files", "try"]);
    let typed = "average price by region\n\
                 :plan\n\
                 :sql\n\
                 only for North\n\
                 :export north.csv\n\
                 :chart north.txt\n\
                 price by moon phase\n\
                 :sql SELECT count(*) AS n FROM sales\n\
                 :columns\n\
                 :nonsense\n\
                 :quit\n\
                 how many rows are there\n";
    let ran = place.assay(["chat", "try/sales.csv"]).stdin(typed).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let (said, aside) = (&ran.stdout, &ran.stderr);
    for part in ["sales: 1 table, 5 rows", "West has the highest average price", "\"measures\"", "SELECT", "region  "] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(aside.contains("`moon`") && aside.contains("`:nonsense` is no command of a session"), "{aside}");
    assert!(aside.contains("written: north.csv") && aside.contains("`north.txt` does not say what kind"), "{aside}");
    assert_eq!(fs::read_to_string(place.path("north.csv")).unwrap(), "avg_price\n56.75\n");
    assert!(!said.contains("There are 5 rows"), "nothing is asked after :quit: {said}");
}

#[test]
fn a_reading_is_chosen_by_its_number() {
    let place = Place::new();
    place.json(0, &["demo", "files", "try"]);
    let ran = place.assay(["chat", "try/rides.csv"]).stdin("rides by station\n2\n").run();
    assert!(ran.stderr.contains("reading: 2:"), "{}", ran.stderr);
    assert!(ran.stdout.contains("reading  "), "the second is answered: {}", ran.stdout);
}

#[test]
fn an_interrupt_stops_the_run_and_not_the_session() {
    let place = Place::new();
    place.json(0, &["demo", "files", "try"]);
    // Typed on a terminal: an endless statement, Ctrl-C once it runs, a question, Ctrl-D.
    let driver = r#"
import os, pty, subprocess, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execvpe(sys.argv[1], sys.argv[1:], os.environ)
seen = ''
def until(text):
    global seen
    while text not in seen:
        piece = os.read(terminal, 65536).decode('utf-8', 'replace')
        if not piece:
            break
        seen += piece
def send(text):
    os.write(terminal, text.encode())
until('sales> ')
seen = ''
tables = [f'sales t{at}' for at in range(16)]
send(f":sql SELECT sum({' + '.join(table.split()[1] + '.price' for table in tables)}) AS all_of_it FROM {', '.join(tables)}\r")
def is_running():
    listed = subprocess.run([sys.argv[1], 'runs', 'list', '--json'], capture_output=True, text=True).stdout
    return '"running"' in listed
while not is_running():
    time.sleep(0.05)
send('\x03')
until('error: ')
stopped = 'the run was cancelled' in seen or 'error: stopped' in seen
until('sales> ')
seen = ''
send('average price by reg\t\r')
until('known')
send('\x04')
_, status = os.waitpid(pid, 0)
sys.stdout.write(seen)
sys.exit(os.waitstatus_to_exitcode(status) if stopped else 9)
"#;
    let ran = place.assay(["chat", "try/sales.csv"]).env("TERM", "xterm").driven(driver).run();
    let said = &ran.stdout;
    assert_eq!(ran.code, Some(0), "{said} {}", ran.stderr);
    assert!(said.contains("average price by region"), "the name is completed: {said}");
    assert!(said.contains("West has the highest average price"), "{said}");
}
