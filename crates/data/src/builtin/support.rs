//! A help desk: tickets with their service level, how long they took and what the customer said.
//!
//! Whether a ticket keeps its service level is dealt out first, in exact quotas by priority, and its duration follows.
//! A ticket whose end would lie after the last day is still open, and is late only if it is late already.

use jiff::civil::{Date, date};

use super::Fixed;
use super::calendar::{Calendar, SECONDS_PER_DAY};
use super::random::{Random, share_of};
use crate::csv::Writer;

const SEED: u64 = 0x5eed_0002;
const LAST_DAY: Date = date(2026, 6, 30);
const DAYS: usize = 90;
const TICKETS: usize = 6_417;
const TICKET_ID_FIRST: usize = 70_001;
const AGENT_ID_FIRST: usize = 101;
const AGENTS: usize = 36;
const SCORED_PER_MILLE: usize = 600;
/// Of 1,000 late tickets, how many nobody has finished.
const STUCK_PER_MILLE: usize = 250;
/// Durations are whole hundredths of an hour, so that `resolution_time_hours` is exactly the time between the stamps.
const SECONDS_PER_CENTIHOUR: i64 = 36;

struct Priority {
    name: &'static str,
    weight: usize,
    target_hours: i64,
    met_per_mille: usize,
}

const PRIORITIES: [Priority; 4] = [
    Priority { name: "Low", weight: 30, target_hours: 72, met_per_mille: 950 },
    Priority { name: "Medium", weight: 40, target_hours: 24, met_per_mille: 900 },
    Priority { name: "High", weight: 20, target_hours: 8, met_per_mille: 800 },
    Priority { name: "Critical", weight: 10, target_hours: 4, met_per_mille: 700 },
];

/// Name, weight, and how its durations compare with others', in percent.
const CATEGORIES: [(&str, usize, i64); 4] =
    [("Technical", 40, 120), ("Billing", 26, 90), ("Account", 20, 80), ("Product", 14, 100)];
const CHANNELS: [(&str, usize); 3] = [("Email", 46), ("Chat", 33), ("Phone", 21)];
/// From Monday.
const WEEKDAY_WEIGHTS: [usize; 7] = [160, 115, 105, 100, 95, 35, 25];
/// From midnight.
const HOUR_WEIGHTS: [usize; 24] =
    [2, 1, 1, 1, 1, 2, 5, 12, 40, 90, 100, 95, 70, 75, 95, 90, 80, 55, 22, 14, 10, 8, 5, 3];

struct Ticket {
    created: i64,
    category: usize,
    priority: usize,
    agent: usize,
    channel: usize,
    met: bool,
    duration: Option<i64>,
    score: Option<i64>,
}

pub(super) fn tables() -> Vec<(&'static str, String)> {
    let mut random = Random::new(SEED);
    let calendar = Calendar::ending(LAST_DAY, DAYS as i64);
    let mut tickets = opened(&calendar, &mut random);
    deal_service_levels(&mut tickets, &mut random);
    let paces: Vec<i64> = (0..AGENTS).map(|_| random.between(80, 120)).collect();
    for ticket in &mut tickets {
        resolve(ticket, paces[ticket.agent], &mut random);
    }
    score(&mut tickets, &paces, &mut random);
    vec![("tickets", csv(&tickets, &calendar, &mut random))]
}

/// The tickets as they come in, earliest first.
fn opened(calendar: &Calendar, random: &mut Random) -> Vec<Ticket> {
    let day_weights: Vec<usize> = (0..DAYS).map(|day| WEEKDAY_WEIGHTS[calendar.weekday(day)]).collect();
    let category_weights = CATEGORIES.map(|(_, weight, _)| weight);
    let channel_weights = CHANNELS.map(|(_, weight)| weight);
    let priority_weights: Vec<usize> = PRIORITIES.iter().map(|priority| priority.weight).collect();
    let mut created: Vec<i64> = (0..TICKETS)
        .map(|_| {
            let day = random.weighted(&day_weights) as i64;
            let hour = random.weighted(&HOUR_WEIGHTS) as i64;
            day * SECONDS_PER_DAY + hour * 3600 + random.between(0, 3599)
        })
        .collect();
    created.sort_unstable();
    created
        .into_iter()
        .map(|created| Ticket {
            created,
            category: random.weighted(&category_weights),
            priority: random.weighted(&priority_weights),
            agent: random.below(AGENTS),
            channel: random.weighted(&channel_weights),
            met: false,
            duration: None,
            score: None,
        })
        .collect()
}

fn deal_service_levels(tickets: &mut [Ticket], random: &mut Random) {
    for (index, priority) in PRIORITIES.iter().enumerate() {
        let mut members: Vec<usize> = (0..tickets.len()).filter(|ticket| tickets[*ticket].priority == index).collect();
        random.shuffle(&mut members);
        let met = share_of(members.len(), priority.met_per_mille);
        members[..met].iter().for_each(|ticket| tickets[*ticket].met = true);
    }
}

fn resolve(ticket: &mut Ticket, pace: i64, random: &mut Random) {
    let target = PRIORITIES[ticket.priority].target_hours * 100;
    let centihours = if ticket.met {
        let share = (430 + random.bell(380)).clamp(15, 1000);
        (target * share * pace * CATEGORIES[ticket.category].2 / 10_000_000).clamp(2, target)
    } else {
        target + random.skewed(target / 50, 4 * target)
    };
    let duration = centihours * SECONDS_PER_CENTIHOUR;
    let now = DAYS as i64 * SECONDS_PER_DAY - 1;
    let stuck = !ticket.met && random.chance(STUCK_PER_MILLE);
    if stuck || ticket.created + duration > now {
        ticket.met = now - ticket.created <= target * SECONDS_PER_CENTIHOUR;
    } else {
        ticket.duration = Some(duration);
    }
}

/// Some customers of finished tickets answer; late and slow work shows in what they say.
fn score(tickets: &mut [Ticket], paces: &[i64], random: &mut Random) {
    let mut finished: Vec<usize> = (0..tickets.len()).filter(|ticket| tickets[*ticket].duration.is_some()).collect();
    random.shuffle(&mut finished);
    finished.truncate(share_of(tickets.len(), SCORED_PER_MILLE));
    for index in finished {
        let ticket = &mut tickets[index];
        let slow = (paces[ticket.agent] - 80) as usize;
        let phone = if CHANNELS[ticket.channel].0 == "Phone" { 12 } else { 0 };
        let weights = if ticket.met { [3 + slow / 4, 6 + slow / 3, 18, 38, 34 + phone] } else { [24, 26, 26, 16, 8] };
        ticket.score = Some(1 + random.weighted(&weights) as i64);
    }
}

fn csv(tickets: &[Ticket], calendar: &Calendar, random: &mut Random) -> String {
    let mut rows = Writer::new([
        "ticket_id",
        "created_at",
        "resolved_at",
        "category",
        "priority",
        "csat_score",
        "sla_met",
        "resolution_time_hours",
        "status",
        "agent_id",
        "channel",
    ]);
    for (index, ticket) in tickets.iter().enumerate() {
        let resolved = ticket.duration.map(|duration| ticket.created + duration);
        let hours = ticket.duration.map(|duration| Fixed { units: duration / SECONDS_PER_CENTIHOUR, digits: 2 });
        rows.plain(TICKET_ID_FIRST + index);
        rows.plain(calendar.moment(ticket.created));
        rows.optional(resolved.map(|moment| calendar.moment(moment)));
        rows.plain(CATEGORIES[ticket.category].0);
        rows.plain(PRIORITIES[ticket.priority].name);
        rows.optional(ticket.score);
        rows.plain(ticket.met);
        rows.optional(hours);
        rows.plain(status(resolved, random));
        rows.plain(AGENT_ID_FIRST + ticket.agent);
        rows.plain(CHANNELS[ticket.channel].0);
        rows.end_row();
    }
    rows.finish()
}

/// A resolved ticket is closed once a week has passed, unless somebody forgot to.
fn status(resolved: Option<i64>, random: &mut Random) -> &'static str {
    let week_ago = (DAYS as i64 - 7) * SECONDS_PER_DAY;
    match resolved {
        None => "Open",
        Some(moment) if moment >= week_ago || random.chance(120) => "Resolved",
        Some(_) => "Closed",
    }
}
