//! A program of the user's own choice that reads a text and prints one, such as an assistant's command line.
//!
//! It is not shut in: the user named it in their own settings or on their own command line, as they would start it
//! themselves. It is only bounded, and it stands in no project's folder, whose files it might take for its task.

use std::process::Stdio;
use std::time::Duration;

use base::{Code, Problem};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdout, Command};

const TIME_MAX: Duration = Duration::from_secs(600);
const OUTPUT_BYTES_MAX: u64 = 4 << 20;
const FOLDER: &str = "/";

/// Gives a program a text on its stdin, and gives back what it prints.
pub async fn run_own_program(words: Vec<String>, text: String) -> Result<String, Problem> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(Problem::new(Code::ModelUnknown, "no program is named").hint("name one: command:PROGRAM ARGUMENTS"));
    };
    let failed = |why: String| Problem::new(Code::ModelFailed, format!("`{program}` {why}"));
    let mut command = Command::new(program);
    command.args(arguments).current_dir(FOLDER).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| {
        failed(format!("cannot be started: {error}")).hint("give its whole path, or put it where programs are found")
    })?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let talk = async {
        let write = async {
            // One that does not read everything may still answer.
            if let Some(mut stdin) = stdin {
                let _ = stdin.write_all(text.as_bytes()).await;
            }
        };
        let ((), printed) = tokio::join!(write, all_of(stdout));
        (printed, child.wait().await)
    };
    let Ok((printed, status)) = tokio::time::timeout(TIME_MAX, talk).await else {
        return Err(failed(format!("gave no answer within {} s", TIME_MAX.as_secs())));
    };
    let status = status.map_err(|error| failed(format!("was lost: {error}")))?;
    if !status.success() {
        return Err(failed(format!("ended with {status}")).hint("try it by hand: give it a text on its standard input"));
    }
    let printed = printed.map_err(|error| failed(format!("cannot be read: {error}")))?;
    String::from_utf8(printed).map_err(|_| failed("printed something that is no text".to_string()))
}

async fn all_of(stdout: Option<ChildStdout>) -> std::io::Result<Vec<u8>> {
    let mut printed = Vec::new();
    if let Some(stdout) = stdout {
        stdout.take(OUTPUT_BYTES_MAX).read_to_end(&mut printed).await?;
    }
    Ok(printed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(program: &[&str]) -> Vec<String> {
        program.iter().map(|word| word.to_string()).collect()
    }

    #[tokio::test]
    async fn what_it_prints_comes_back_and_what_goes_wrong_is_said() {
        let large = "x".repeat(1 << 20);
        assert_eq!(run_own_program(words(&["cat"]), large.clone()).await.expect("a copy"), large);
        let code = |program: &'static [&'static str]| async move {
            run_own_program(words(program), String::new()).await.expect_err("no answer").code
        };
        assert_eq!(code(&["false"]).await, Code::ModelFailed);
        assert_eq!(code(&["/nonexistent/assistant"]).await, Code::ModelFailed);
        assert_eq!(code(&[]).await, Code::ModelUnknown);
    }
}
