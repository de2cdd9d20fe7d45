//! `assay chat`: a session over one dataset. On a terminal it is typed into for real, through a pseudo terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt;

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
    let never = place.file("never", "#!/bin/sh\ntrap '' INT\nsleep 600\n");
    fs::set_permissions(&never, PermissionsExt::from_mode(0o755)).unwrap();
    let model = format!("command:{}", never.display());
    // Typed on a terminal: a question to a model that never answers, Ctrl-C once it was asked, another question, Ctrl-D.
    let driver = r#"
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execvpe(sys.argv[1], sys.argv[1:], os.environ)
seen = ''
def until(text):
    """Reads up to a text, and gives what came before it."""
    global seen
    while text not in seen:
        seen += os.read(terminal, 65536).decode('utf-8', 'replace')
    before, _, seen = seen.partition(text)
    return before
def send(text):
    os.write(terminal, text.encode())
until('Ctrl-D leaves')
until('sales> ')
send('price by moon phase\r')
until('the model writes')
time.sleep(2)
send('\x03')
until('error: ')
said = until('sales> ')
time.sleep(0.5)
send('average price by reg\t\r')
answered = until('known')
until('sales> ')
time.sleep(0.5)
send('\x04')
_, status = os.waitpid(pid, 0)
sys.stdout.write(said + answered)
sys.exit(os.waitstatus_to_exitcode(status))
"#;
    let ran = place.assay(["chat", "try/sales.csv", "--model", &model]).env("TERM", "xterm").driven(driver).run();
    let said = &ran.stdout;
    assert_eq!(ran.code, Some(0), "{said} {}", ran.stderr);
    assert!(said.contains("the run was cancelled"), "{said}");
    assert!(said.contains("average price by region"), "the name is completed: {said}");
    assert!(said.contains("West has the highest average price"), "{said}");
}
