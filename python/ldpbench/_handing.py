"""The command that stands for a function of Python in a run: hands its pipes to the process that has the function, and
lives as long as the worker there. The program starts it with nothing but the interpreter (-I -S), so it imports little."""

import _socket
import array
import os
import sys


def main() -> None:
    """Sends standard input, output and error to the socket that LDPBENCH_FUNCTIONS names; waits for the other side to close it."""
    path = os.environ.get("LDPBENCH_FUNCTIONS")
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.connect(path or "")
    except OSError:
        os.write(1, b"error this is a function of a Python process that has ended: run it again by ldpbench.run or compare\n")
        sys.exit(1)
    connection.sendmsg([sys.argv[1].encode()], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", (0, 1, 2)))])
    os.close(0)
    os.close(1)
    connection.recv(1)


main()
