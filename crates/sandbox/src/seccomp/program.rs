//! From rules to the program that answers them.
//!
//! ```text
//!   load architecture      another one -> kill
//!   load call number
//!   >= 94 ? ---------------- yes: >= 230 ? ...          a balanced tree over ranges of calls that share a rule;
//!      no: >= 41 ? ...                                  its leaves are jumps to what follows
//!   load argument 1        = TCGETS -> allow, ...       one block for each distinct rule that asks for an argument
//!   return allow           return refused, ...          one instruction for each distinct answer
//! ```
//! Jumps only lead forward, so the program is written from its end: whatever an instruction jumps to is already there,
//! and a place is known by how many instructions follow it.
//!
//! Only loads, comparisons, jumps and returns are used, and an argument is loaded on no path that does not need one: so
//! the kernel finds out at installation which calls are always allowed, and does not run the program for them.

use std::collections::BTreeMap;
use std::mem::offset_of;

use libc::{
    BPF_ABS, BPF_JA, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W, SECCOMP_RET_ALLOW,
    SECCOMP_RET_ERRNO, SECCOMP_RET_KILL_PROCESS, c_int, seccomp_data, sock_filter,
};

/// `AUDIT_ARCH_X86_64`: the machine's ELF number, 64 bits wide, little-endian.
pub const ARCHITECTURE: u32 = libc::EM_X86_64 as u32 | 1 << 31 | 1 << 30;

/// A conditional jump skips at most 255 instructions; the rest is room for the long jumps put in beside one.
const REACH: usize = 250;

/// What a call comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is made.
    Allow,
    /// It is not made and fails with this number; it seems to succeed if that is 0.
    Errno(c_int),
    /// The process ends.
    Kill,
}

/// How a call's answer is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Whatever the arguments are.
    Always(Answer),
    /// By the low 32 bits of one argument: the first test that holds gives the answer.
    Argument { index: usize, tests: Vec<(Test, Answer)>, otherwise: Answer },
}

/// What is asked of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    Is(u32),
    HasAny(u32),
    HasAll(u32),
}

/// Rules by call number.
pub type Rules = BTreeMap<u32, Rule>;

/// The program that answers each call by its rule, and a call without one by `otherwise`.
pub fn compile(rules: &Rules, otherwise: Answer) -> Vec<sock_filter> {
    let otherwise = Rule::Always(otherwise);
    let mut assembly = Assembly::default();
    let mut known: Vec<(&Rule, Place)> = Vec::new();
    let mut starts: Vec<(u32, Place)> = Vec::new();
    for (first, rule) in ranges(rules, &otherwise) {
        let place = known.iter().find(|(other, _)| *other == rule).map(|(_, place)| *place);
        let place = place.unwrap_or_else(|| {
            let place = assembly.rule(rule);
            known.push((rule, place));
            place
        });
        starts.push((first, place));
    }
    let kill = assembly.answer(Answer::Kill);
    let tree = assembly.tree(&starts);
    let tree = assembly.load(offset_of!(seccomp_data, nr), tree);
    let checked = assembly.branch(BPF_JEQ, ARCHITECTURE, tree, kill);
    assembly.load(offset_of!(seccomp_data, arch), checked);
    assembly.reversed.reverse();
    assembly.reversed
}

/// As the kernel reads them from memory.
pub fn to_bytes(program: &[sock_filter]) -> Vec<u8> {
    let bytes = |one: &sock_filter| {
        let ([a, b], [c, d, e, f]) = (one.code.to_ne_bytes(), one.k.to_ne_bytes());
        [a, b, one.jt, one.jf, c, d, e, f]
    };
    program.iter().flat_map(bytes).collect()
}

/// The first call of each run of calls with the same rule, from 0 on and without gaps.
fn ranges<'a>(rules: &'a Rules, otherwise: &'a Rule) -> Vec<(u32, &'a Rule)> {
    let mut ranges = vec![(0, otherwise)];
    let mut from = |first: u32, rule: &'a Rule| {
        ranges.pop_if(|(start, _)| *start == first);
        if ranges.last().is_none_or(|(_, before)| *before != rule) {
            ranges.push((first, rule));
        }
    };
    for (&call, rule) in rules {
        from(call, rule);
        if let Some(next) = call.checked_add(1) {
            from(next, otherwise);
        }
    }
    ranges
}

/// Where an instruction is: how many follow it.
type Place = usize;

/// A program whose last instruction comes first.
#[derive(Default)]
struct Assembly {
    reversed: Vec<sock_filter>,
    answers: Vec<(Answer, Place)>,
}

impl Assembly {
    fn push(&mut self, code: u32, k: u32, jt: u8, jf: u8) -> Place {
        self.reversed.push(sock_filter { code: code as u16, jt, jf, k });
        self.reversed.len() - 1
    }

    /// How many instructions the next one has to skip to get to `place`.
    fn distance(&self, place: Place) -> usize {
        self.reversed.len() - 1 - place
    }

    /// `place`, or a long jump to it where that is too far for a conditional one.
    fn near(&mut self, place: Place) -> Place {
        match self.distance(place) {
            distance if distance > REACH => self.push(BPF_JMP | BPF_JA, distance as u32, 0, 0),
            _ => place,
        }
    }

    fn branch(&mut self, comparison: u32, k: u32, yes: Place, no: Place) -> Place {
        let (yes, no) = (self.near(yes), self.near(no));
        let skip = |place| u8::try_from(self.distance(place)).expect("a near place is within reach");
        let (jt, jf) = (skip(yes), skip(no));
        self.push(BPF_JMP | comparison | BPF_K, k, jt, jf)
    }

    /// Loads 32 bits of the call's description and goes on at `then`.
    fn load(&mut self, offset: usize, then: Place) -> Place {
        let distance = self.distance(then);
        if distance > 0 {
            self.push(BPF_JMP | BPF_JA, distance as u32, 0, 0);
        }
        self.push(BPF_LD | BPF_W | BPF_ABS, offset as u32, 0, 0)
    }

    fn answer(&mut self, answer: Answer) -> Place {
        if let Some((_, place)) = self.answers.iter().find(|(other, _)| *other == answer) {
            return *place;
        }
        let value = match answer {
            Answer::Allow => SECCOMP_RET_ALLOW,
            Answer::Errno(number) => SECCOMP_RET_ERRNO | number as u32,
            Answer::Kill => SECCOMP_RET_KILL_PROCESS,
        };
        let place = self.push(BPF_RET | BPF_K, value, 0, 0);
        self.answers.push((answer, place));
        place
    }

    fn rule(&mut self, rule: &Rule) -> Place {
        match rule {
            Rule::Always(answer) => self.answer(*answer),
            Rule::Argument { index, tests, otherwise } => {
                let otherwise = self.answer(*otherwise);
                let first = tests.iter().rev().fold(otherwise, |next, (test, answer)| {
                    let answer = self.answer(*answer);
                    self.test(*test, answer, next)
                });
                // Little-endian: the low half is at the argument's own address.
                self.load(offset_of!(seccomp_data, args) + index * size_of::<u64>(), first)
            }
        }
    }

    fn test(&mut self, test: Test, yes: Place, no: Place) -> Place {
        match test {
            Test::Is(value) => self.branch(BPF_JEQ, value, yes, no),
            Test::HasAny(bits) => self.branch(BPF_JSET, bits, yes, no),
            // Bit by bit, because masking would spoil the loaded value for the tests after it.
            Test::HasAll(bits) => (0..u32::BITS)
                .map(|bit| 1 << bit)
                .filter(|bit| bits & bit != 0)
                .fold(yes, |yes, bit| self.branch(BPF_JSET, bit, yes, no)),
        }
    }

    /// Finds the last of `starts` that is not above the loaded number.
    fn tree(&mut self, starts: &[(u32, Place)]) -> Place {
        if let [(_, place)] = starts {
            return *place;
        }
        let (low, high) = starts.split_at(starts.len() / 2);
        let yes = self.tree(high);
        let no = self.tree(low);
        self.branch(BPF_JGE, high[0].0, yes, no)
    }
}
