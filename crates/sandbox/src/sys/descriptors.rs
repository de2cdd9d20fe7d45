//! Descriptors: to place, close and send them.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use super::check;

/// Closes every descriptor from `first` on.
pub fn close_from(first: RawFd) -> io::Result<()> {
    // SAFETY: the caller keeps no owner of these descriptors in use (it is about to exec).
    check(unsafe { libc::syscall(libc::SYS_close_range, first as libc::c_uint, libc::c_uint::MAX, 0) })?;
    Ok(())
}

/// Makes `target` a copy of `source` that survives exec.
pub fn place(source: RawFd, target: RawFd) -> io::Result<()> {
    // SAFETY: dup2 onto itself would keep close-on-exec, hence the two cases.
    unsafe {
        if source == target {
            check(libc::fcntl(source, libc::F_SETFD, 0) as libc::c_long)?;
        } else {
            check(libc::dup2(source, target) as libc::c_long)?;
        }
    }
    Ok(())
}

/// A copy of a descriptor at `lowest` or above, closed by exec.
pub fn copy_above(fd: RawFd, lowest: RawFd) -> io::Result<RawFd> {
    // SAFETY: plain syscall; the copy is the caller's to place.
    Ok(check(unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, lowest) } as libc::c_long)? as RawFd)
}

/// Puts `/dev/null`, for reading and writing, at `target`.
pub fn place_null(target: RawFd) -> io::Result<()> {
    use std::os::fd::IntoRawFd;
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?.into_raw_fd();
    place(null, target)?;
    if null != target {
        // SAFETY: it was opened just above and is owned by nobody else.
        drop(unsafe { OwnedFd::from_raw_fd(null) });
    }
    Ok(())
}

/// Takes ownership of a descriptor this process was started with.
pub fn inherited(fd: RawFd) -> OwnedFd {
    // SAFETY: called once per descriptor, at the start of the supervisor, for descriptors its starter has placed.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

/// The most descriptors that travel with one message.
const DESCRIPTORS_MAX: usize = 8;
const CONTROL_WORDS: usize = 16;

/// Sends bytes and, with the first of them, descriptors. Gives how many bytes went.
pub fn send(socket: RawFd, bytes: &[u8], descriptors: &[RawFd]) -> io::Result<usize> {
    assert!(descriptors.len() <= DESCRIPTORS_MAX, "more descriptors than a message carries");
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut space = [0u64; CONTROL_WORDS];
    let size = size_of_val(descriptors) as u32;
    // SAFETY: the control buffer is aligned and large enough for DESCRIPTORS_MAX; sendmsg only reads the bytes.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &mut part;
        message.msg_iovlen = 1;
        if !descriptors.is_empty() {
            message.msg_control = space.as_mut_ptr().cast();
            message.msg_controllen = libc::CMSG_SPACE(size) as usize;
            let header = libc::CMSG_FIRSTHDR(&message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(size) as usize;
            std::ptr::copy_nonoverlapping(descriptors.as_ptr().cast(), libc::CMSG_DATA(header), size as usize);
        }
        Ok(check(libc::sendmsg(socket, &message, libc::MSG_NOSIGNAL) as libc::c_long)? as usize)
    }
}

/// Receives bytes and the descriptors that came with them; no bytes means that the other side closed.
pub fn receive(socket: RawFd, bytes: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut space = [0u64; CONTROL_WORDS];
    // SAFETY: as in `send`; the kernel writes at most msg_controllen bytes, and what it installed is ours to own.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &mut part;
        message.msg_iovlen = 1;
        message.msg_control = space.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&space);
        let received = check(libc::recvmsg(socket, &mut message, libc::MSG_CMSG_CLOEXEC) as libc::c_long)? as usize;
        let mut descriptors = Vec::new();
        let mut header = libc::CMSG_FIRSTHDR(&message);
        while !header.is_null() {
            if (*header).cmsg_level == libc::SOL_SOCKET && (*header).cmsg_type == libc::SCM_RIGHTS {
                let bytes = (*header).cmsg_len - libc::CMSG_LEN(0) as usize;
                let data = libc::CMSG_DATA(header).cast::<RawFd>();
                for index in 0..bytes / size_of::<RawFd>() {
                    descriptors.push(OwnedFd::from_raw_fd(std::ptr::read_unaligned(data.add(index))));
                }
            }
            header = libc::CMSG_NXTHDR(&message, header);
        }
        Ok((received, descriptors))
    }
}

/// Who is at the other end of a socket, as a user.
pub fn peer_uid(socket: RawFd) -> io::Result<u32> {
    // SAFETY: zeroed ucred is valid, lives on our stack, and its size is passed along.
    unsafe {
        let mut peer: libc::ucred = std::mem::zeroed();
        let mut size = size_of::<libc::ucred>() as libc::socklen_t;
        let place = (&raw mut peer).cast();
        check(libc::getsockopt(socket, libc::SOL_SOCKET, libc::SO_PEERCRED, place, &mut size) as libc::c_long)?;
        Ok(peer.uid)
    }
}

/// Two connected sockets that keep messages apart.
pub fn message_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut pair = [0; 2];
    // SAFETY: the kernel writes two fresh descriptors.
    unsafe {
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
        check(libc::socketpair(libc::AF_UNIX, kind, 0, pair.as_mut_ptr()) as libc::c_long)?;
        Ok((OwnedFd::from_raw_fd(pair[0]), OwnedFd::from_raw_fd(pair[1])))
    }
}
