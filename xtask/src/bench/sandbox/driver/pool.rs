//! The sandbox, cold and with a resident broker, and the pool of workers that the broker keeps.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use sandbox::{Broker, BrokerStatus, Environment, Sandbox};

use crate::setup::Setup;
use crate::{Sample, note};

const READY_MAX: Duration = Duration::from_secs(30);
/// Not more often: to say how it is, the broker looks at the memory of every worker.
const POLL: Duration = Duration::from_millis(5);
/// The pool is as large as it gets when nothing has changed for so long.
const SETTLED: Duration = Duration::from_secs(2);

/// Both ways to a cell.
pub struct Pool {
    /// Makes every cell anew.
    pub cold: Sandbox,
    /// Takes cells from the broker.
    pub warm: Sandbox,
    /// How many workers wait when nobody asks for any.
    idle: usize,
    /// How the broker was when it last said so; of use when it says nothing more.
    last: RefCell<BrokerStatus>,
}

impl Pool {
    /// Starts a broker; back when its pool is full.
    pub async fn start(setup: &Setup) -> anyhow::Result<Pool> {
        let environment = Environment::locate(&setup.environment).context("the environment has not been made")?;
        let cold = environment.sandbox(setup.assay.clone(), data::kernel::MODULES).await;
        let cold = cold.map_err(|problem| anyhow!("no sandbox: {}", problem.message))?;
        let runtime = setup.folder("run")?;
        let warm = cold.clone().with_broker(Some(&runtime), &setup.data());
        let mut pool = Pool { cold, warm, idle: 0, last: RefCell::default() };
        pool.broker()?.start().context("cannot start the broker")?;
        let begun = Instant::now();
        let mut since = Instant::now();
        while pool.idle == 0 || since.elapsed() < SETTLED {
            if begun.elapsed() > READY_MAX {
                bail!("the broker has no worker after {} s", READY_MAX.as_secs());
            }
            tokio::time::sleep(POLL).await;
            // Before all zygotes are up, the pool is not even begun.
            let ready = pool.broker()?.status().await.filter(|status| status.ready);
            let idle = ready.map_or(0, |status| status.idle);
            if idle != pool.idle {
                (pool.idle, since) = (idle, Instant::now());
            }
        }
        note(&format!("broker: {} idle workers, {}", pool.idle, pool.status().await?.memory));
        Ok(pool)
    }

    fn broker(&self) -> anyhow::Result<&Broker> {
        self.warm.broker().context("there can be no broker here")
    }

    /// How the broker is.
    pub async fn status(&self) -> anyhow::Result<BrokerStatus> {
        let status = self.broker()?.status().await;
        let status =
            status.with_context(|| format!("the broker does not answer; before, it said: {:?}", self.last.borrow()))?;
        self.last.replace(status.clone());
        Ok(status)
    }

    /// Waits until every worker that was used has been replaced; says how long that took, if it had to wait.
    pub async fn is_full(&self) -> anyhow::Result<Vec<Sample>> {
        let begun = Instant::now();
        let mut waited = false;
        loop {
            let BrokerStatus { idle, forming, running, waiting, refill_ms, worker_bytes, .. } = self.status().await?;
            if idle >= self.idle && forming + running + waiting == 0 {
                let samples = [
                    Sample::ms("refill", "until the pool is full", begun.elapsed().as_secs_f64() * 1e3),
                    Sample::ms("refill", "one worker, by its broker", refill_ms),
                    Sample { case: "memory", who: "idle worker".into(), unit: "MB", value: worker_bytes as f64 / 1e6 },
                ];
                return Ok(if waited { samples.into() } else { Vec::new() });
            }
            if begun.elapsed() > READY_MAX {
                bail!("the pool is not full after {} s: {idle} of {} idle", READY_MAX.as_secs(), self.idle);
            }
            waited = true;
            tokio::time::sleep(POLL).await;
        }
    }

    /// What the broker counted.
    pub async fn tell(&self) -> anyhow::Result<()> {
        let status = self.status().await?;
        let BrokerStatus { hits, misses, refused, made, failed, zygotes, .. } = status;
        note(&format!(
            "broker: {hits} hits, {misses} misses, {refused} refused; {made} workers made, {failed} failed, by {zygotes} zygotes"
        ));
        Ok(())
    }

    /// Ends the broker and waits until it is gone.
    pub async fn close(&self) -> anyhow::Result<()> {
        let broker = self.broker()?;
        broker.stop().await;
        let begun = Instant::now();
        while broker.status().await.is_some() {
            if begun.elapsed() > READY_MAX {
                bail!("the broker is still there after {} s", READY_MAX.as_secs());
            }
            tokio::time::sleep(POLL).await;
        }
        Ok(())
    }
}
