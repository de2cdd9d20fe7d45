//! No file knows the machine it was written on: no user's home, no package registry's host.

use super::Finding;
use crate::workspace::File;

/// Written in pieces, so that this file does not name them either.
const REGISTRIES: &[(&str, &str)] = &[
    ("crates", "io"),
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("npmjs", "org"),
    ("npmjs", "com"),
    ("yarnpkg", "com"),
    ("anaconda", "org"),
    ("rubygems", "org"),
    ("jfrog", "io"),
];

/// A host in a URL with one of these in its name serves packages, whoever runs it.
const REGISTRY_WORDS: &[&str] = &["artifactory", "crates", "devpi", "mirror", "nexus", "npm", "pypi", "registry"];

const HOMES: &[&str] = &["/home/", "/Users/", "/root/", ":\\Users\\", ":\\\\Users\\\\"];

/// Names that stand for any user.
const ANYBODY: &[&str] = &["me", "you", "user"];

/// Findings of one file of any kind.
pub fn check(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let mut add = |message: String, hint: &str| {
            findings.push(Finding { path: file.path.clone(), line: index + 1, message, hint: hint.into() });
        };
        if let Some(home) = home_in(line) {
            add(format!("`{home}` is in somebody's home"), "take the path from a setting, or write `~` or `$HOME`");
        }
        if let Some(host) = registry_in(line) {
            add(format!("`{host}` is a package registry's host"), "leave it to the machine where packages come from");
        }
    }
    findings
}

fn home_in(line: &str) -> Option<String> {
    HOMES.iter().find_map(|home| {
        line.match_indices(home).find_map(|(offset, _)| {
            // The middle of a longer path is nobody's home.
            let before = line[..offset].chars().next_back();
            let inside = before.is_some_and(|letter| letter.is_alphanumeric() || "_-.>})]*~$".contains(letter));
            let name: String = line[offset + home.len()..].chars().take_while(|letter| in_file_name(*letter)).collect();
            let somebody = !name.is_empty() && !ANYBODY.contains(&name.as_str());
            (somebody && (home.starts_with(':') || !inside)).then(|| format!("{home}{name}"))
        })
    })
}

fn in_file_name(letter: char) -> bool {
    letter.is_alphanumeric() || "._-".contains(letter)
}

fn in_host(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || ".-".contains(letter)
}

fn registry_in(line: &str) -> Option<String> {
    let line = line.to_ascii_lowercase();
    let of_url = line.match_indices("://").find_map(|(offset, _)| {
        // What comes before an `@` is a name and a password.
        let authority = line[offset + 3..].split(['/', '"', '\'', ' ', '`']).next().unwrap_or_default();
        let host: String =
            authority.rsplit('@').next().unwrap_or_default().chars().take_while(|l| in_host(*l)).collect();
        REGISTRY_WORDS.iter().any(|word| host.contains(word)).then_some(host)
    });
    let known = || {
        let hosts = line.split(|letter| !in_host(letter)).map(|host| host.trim_matches('.'));
        let serves = |host: &&str| {
            REGISTRIES.iter().any(|(name, ending)| {
                let before = host.strip_suffix(ending).and_then(|host| host.strip_suffix('.'));
                let before = before.and_then(|host| host.strip_suffix(name));
                before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
            })
        };
        hosts.into_iter().find(serves).map(str::to_string)
    };
    of_url.or_else(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        check(&File { path: "a.md".into(), text: text.into() }).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn homes_are_found() {
        for home in HOMES {
            for name in ["ann", "ann.b/x"] {
                assert_eq!(lines(&format!("ok\npath = \"C{home}{name}\"").replace("C/", "/")), [2], "{home}{name}");
            }
        }
        assert_eq!(lines(&format!("file:/{}/{}", "//home", "ann")), [1]);
        for text in
            ["/home/me/x", "`/home/`", "core-<hash>/root/usr", "$HOME/x", "{base}/home/x", "/homely/x", "~/root/x"]
        {
            assert_eq!(lines(text), [0; 0], "{text}");
        }
    }

    #[test]
    fn registries_are_found() {
        for (name, ending) in REGISTRIES {
            for text in
                [format!("{name}.{ending}"), format!("see static.{name}.{ending}."), format!("({name}.{ending})")]
            {
                assert_eq!(lines(&text), [1], "{text}");
            }
        }
        for word in REGISTRY_WORDS {
            assert_eq!(lines(&format!("index = \"sparse+https://a:b@{word}.example/x\"")), [1], "{word}");
        }
        for text in
            ["https://example.org/registry", "registry+https://github.com/rust-lang/crates.io-index", "the registry"]
        {
            assert_eq!(lines(text), [0; 0], "{text}");
        }
    }
}
