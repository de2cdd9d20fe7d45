"""socket: pairs, local servers, selectors, and the network that is not there."""

import os
import selectors
import socket
import socketserver
import threading

here, there = socket.socketpair()
here.sendall(b"ping")
assert there.recv(10) == b"ping"
descriptor = os.open("/work", os.O_RDONLY)
socket.send_fds(here, [b"fd"], [descriptor])
message, descriptors, _, _ = socket.recv_fds(there, 10, 1)
assert message == b"fd" and os.path.samestat(os.fstat(descriptors[0]), os.stat("/work"))


class Shout(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(self.rfile.readline().upper())


with socketserver.ThreadingUnixStreamServer("/tmp/shout.sock", Shout) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("/tmp/shout.sock")
        client.sendall(b"hello\n")
        heard = client.makefile().readline().strip()
    server.shutdown()
with selectors.DefaultSelector() as selector:
    selector.register(there, selectors.EVENT_READ)
    assert selector.select(0) == []
    here.close()
    assert selector.select(5)[0][0].fileobj is there
try:
    socket.create_connection(("192.0.2.1", 80), 1)
    raise AssertionError("there is no network")
except OSError as error:
    print(heard, type(error).__name__)
