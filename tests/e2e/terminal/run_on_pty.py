"""Runs a program on a pseudo-terminal: run_on_pty.py COLUMNS ROWS PROGRAM ARGUMENT...

Each line of the input is JSON: {"write": TEXT}, {"resize": [COLUMNS, ROWS]} or {"signal": NUMBER}.
The output is what the program writes to its terminal. Ends with the exit code of the program.
"""
import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios


def resize(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def obey(command, terminal, child):
    if "write" in command:
        data = command["write"].encode()
        while data:
            data = data[os.write(terminal, data[:512]) :]
    if "resize" in command:
        resize(terminal, *command["resize"])
    if "signal" in command:
        os.kill(child, command["signal"])


def main():
    columns, rows, *program = sys.argv[1:]
    master, slave = pty.openpty()
    resize(slave, int(columns), int(rows))
    child = os.fork()
    if child == 0:
        os.close(master)
        os.login_tty(slave) if hasattr(os, "login_tty") else take(slave)
        os.execvp(program[0], program)
    os.close(slave)
    pending = b""
    inputs = [master, 0]
    while True:
        readable, _, _ = select.select(inputs, [], [])
        if master in readable:
            try:
                data = os.read(master, 65536)
            except OSError:
                data = b""
            if not data:
                break
            while data:
                data = data[os.write(1, data) :]
        if 0 in readable:
            data = os.read(0, 65536)
            if not data:
                inputs = [master]
                os.kill(child, signal.SIGKILL)  # whoever ran it has ended
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                obey(json.loads(line), master, child)
    _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status) & 255)


def take(terminal):
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for number in range(3):
        os.dup2(terminal, number)
    if terminal > 2:
        os.close(terminal)


main()
