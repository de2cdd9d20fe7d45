//! Work that is begun before it is needed, and goes on beside what must come first.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

/// Work that nobody waits for yet. Nothing of it happens before something is done beside it.
pub enum Ahead<'a, T> {
    /// Not begun, or on its way.
    Going(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
    /// It came to its end while something else was done.
    Done(T),
    /// There is none, or its result was taken.
    Nothing,
}

impl<'a, T> Ahead<'a, T> {
    /// Work to do beside other work.
    pub fn of(work: impl Future<Output = T> + Send + 'a) -> Ahead<'a, T> {
        Ahead::Going(Box::pin(work))
    }

    /// Does `first` to its end, and this as far as it comes meanwhile.
    pub async fn beside<F: Future>(&mut self, first: F) -> F::Output {
        let mut first = pin!(first);
        poll_fn(|context| {
            self.go_on(context);
            first.as_mut().poll(context)
        })
        .await
    }

    /// Its result, waited for; once, and never if there is no work.
    pub async fn result(&mut self) -> Option<T> {
        poll_fn(|context| {
            self.go_on(context);
            if matches!(self, Ahead::Going(_)) { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
        match std::mem::replace(self, Ahead::Nothing) {
            Ahead::Done(result) => Some(result),
            Ahead::Going(_) | Ahead::Nothing => None,
        }
    }

    fn go_on(&mut self, context: &mut Context<'_>) {
        if let Ahead::Going(work) = self
            && let Poll::Ready(result) = work.as_mut().poll(context)
        {
            *self = Ahead::Done(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;
    use tokio::task::yield_now;

    use super::Ahead;

    #[tokio::test]
    async fn it_goes_on_while_something_else_is_done() {
        let (tell, mut told) = oneshot::channel();
        let mut ahead = Ahead::of(async { tell.send("begun") });
        ahead.beside(yield_now()).await;
        assert_eq!(told.try_recv(), Ok("begun"));
        assert_eq!(ahead.result().await, Some(Ok(())));
        assert_eq!(ahead.result().await, None);
    }

    #[tokio::test]
    async fn what_is_not_done_meanwhile_is_waited_for() {
        let (tell, told) = oneshot::channel();
        let mut ahead = Ahead::of(told);
        assert_eq!(ahead.beside(async { 1 }).await, 1);
        tokio::spawn(async { tell.send(2) });
        assert_eq!(ahead.result().await, Some(Ok(2)));
    }
}
