"""Network: no socket but local ones, no interface, no name, and nobody of the host at the other end."""

LOCAL = socket.AF_UNIX


def opened(family, kind, protocol=0):
    with socket.socket(family, kind, protocol) as made:
        return made.family


@check("seccomp", "EPERM")
def internet():
    return opened(socket.AF_INET, socket.SOCK_STREAM)


@check("seccomp", "EPERM")
def internet_by_datagrams():
    return opened(socket.AF_INET, socket.SOCK_DGRAM)


@check("seccomp", "EPERM")
def internet_of_version_6():
    return opened(socket.AF_INET6, socket.SOCK_STREAM)


@check("seccomp", "EPERM")
def raw_packets():
    return opened(socket.AF_INET, socket.SOCK_RAW, 1)


@check("seccomp", "EPERM")
def packets_of_an_interface():
    return opened(socket.AF_PACKET, socket.SOCK_RAW, 0x300)


@check("seccomp", "EPERM")
def messages_to_the_system():
    return opened(socket.AF_NETLINK, socket.SOCK_RAW, 0)


@check("seccomp", "EPERM")
def the_machine_below_this_one():
    return opened(socket.AF_VSOCK, socket.SOCK_STREAM)


@check("seccomp", "EPERM")
def ciphers_of_the_system():
    return opened(socket.AF_ALG, socket.SOCK_SEQPACKET)


@check("seccomp", "['EPERM']")
def every_other_family():
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)
    families = [family for family in range(64) if family != LOCAL]
    return came_to_each([functools.partial(call, 41, family, kind, 0) for family in families for kind in kinds])


@check("seccomp", "EPERM")
def a_family_with_high_bits():
    return call(41, socket.AF_INET | 1 << 32, socket.SOCK_STREAM, 0)


@check("seccomp", "EPERM")
def a_pair_of_another_family():
    return call(53, socket.AF_INET, socket.SOCK_STREAM, 0, bytes(8))


@check("network", "no such name")
def find_a_host():
    return socket.getaddrinfo("example.com", 80)


@check("network", "its own")
def the_network_namespace():
    return namespace("net")


@check("network", "['lo']")
def no_interface_but_its_own():
    return sorted(line.split(":")[0].strip() for line in text_of("/proc/self/net/dev").splitlines()[2:])


@check("network", "[]")
def no_route():
    return text_of("/proc/self/net/route").splitlines()[1:]


@check("network", "True")
def local_sockets_of_the_host_are_not_listed():
    return FACTS["abstract"] not in text_of("/proc/self/net/unix")


def connect(address, kind=socket.SOCK_STREAM):
    with socket.socket(LOCAL, kind) as made:
        return made.connect(address)


@check("network", "ECONNREFUSED")
def a_socket_of_the_host_by_its_abstract_name():
    return connect("\0" + FACTS["abstract"])


@check("root", "ENOENT")
def a_socket_of_the_host_by_its_path():
    return connect(FACTS["socket"])


@check("root", "ENOENT")
def a_socket_of_the_host_below_the_old_root():
    os.chdir("/scratch/" + os.path.dirname(FACTS["socket"]))
    try:
        return connect(os.path.basename(FACTS["socket"]))
    finally:
        os.chdir("/work")


@check("seccomp", "EPERM")
def interfaces_asked_of_a_local_socket():
    with socket.socket(LOCAL) as made:
        return call(16, made.fileno(), 0x8912, bytes(16))


@check("seccomp", "EPERM")
def a_program_in_the_socket():
    with socket.socket(LOCAL) as made:
        return made.setsockopt(socket.SOL_SOCKET, 26, bytes(16))


@check("seccomp", "EPERM")
def bind_to_an_interface():
    with socket.socket(LOCAL) as made:
        return made.setsockopt(socket.SOL_SOCKET, 25, b"eth0\0")


@check("seccomp", "EOPNOTSUPP")
def urgent_data():
    one, other = socket.socketpair()
    with one, other:
        return one.send(b"x", socket.MSG_OOB)


@check("seccomp", "EPERM")
def many_messages_at_once():
    one, other = socket.socketpair()
    with one, other:
        return call(307, one.fileno(), 0, 0, 0)


@check("processes", "0")
def who_is_at_the_other_end():
    channel = socket.socket(fileno=os.dup(3))
    with channel:
        return int.from_bytes(channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[:4], "little")


@check("seccomp", "EPERM")
def hold_who_is_at_the_other_end():
    channel = socket.socket(fileno=os.dup(3))
    with channel:
        held = channel.getsockopt(socket.SOL_SOCKET, 77)
    os.close(held)
    return "a descriptor of a process of the host"


@check("start", "")
def the_channel_has_no_name():
    channel = socket.socket(fileno=os.dup(3))
    with channel:
        return channel.getpeername() or channel.getsockname()
