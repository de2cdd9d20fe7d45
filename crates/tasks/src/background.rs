//! Work that is begun before it is needed, and goes on beside what must come first.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

/// Work that nobody waits for yet. Nothing of it happens before something is done beside it.
pub enum Background<'a, T> {
    /// Not begun, or on its way.
    Going(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
    /// It came to its end while something else was done.
    Done(T),
    /// There is none, or its result was taken.
    Nothing,
}

impl<'a, T> Background<'a, T> {
    /// Work to do beside other work.
    pub fn of(work: impl Future<Output = T> + Send + 'a) -> Background<'a, T> {
        Background::Going(Box::pin(work))
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
            if matches!(self, Background::Going(_)) { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
        match std::mem::replace(self, Background::Nothing) {
            Background::Done(result) => Some(result),
            Background::Going(_) | Background::Nothing => None,
        }
    }

    fn go_on(&mut self, context: &mut Context<'_>) {
        if let Background::Going(work) = self
            && let Poll::Ready(result) = work.as_mut().poll(context)
        {
            *self = Background::Done(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;
    use tokio::task::yield_now;

    use super::Background;

    #[tokio::test]
    async fn it_goes_on_while_something_else_is_done() {
        let (tell, mut told) = oneshot::channel();
        let mut ahead = Background::of(async { tell.send("begun") });
        ahead.beside(yield_now()).await;
        assert_eq!(told.try_recv(), Ok("begun"));
        assert_eq!(ahead.result().await, Some(Ok(())));
        assert_eq!(ahead.result().await, None);
    }

    #[tokio::test]
    async fn what_is_not_done_meanwhile_is_waited_for() {
        let (tell, told) = oneshot::channel();
        let mut ahead = Background::of(told);
        assert_eq!(ahead.beside(async { 1 }).await, 1);
        tokio::spawn(async { tell.send(2) });
        assert_eq!(ahead.result().await, Some(Ok(2)));
    }
}
