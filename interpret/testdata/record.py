#!/usr/bin/env python3
"""Records what a command really prints, as a fixture of these tests.

    record.py [--pty] [--cwd DIR] [--sub FROM=TO]... OUT.txt -- COMMAND...

The fixture holds both streams in the order of arrival, byte by byte, but for
names of machines and folders, which are replaced.
"""
import argparse, fcntl, os, pty, select, struct, subprocess, termios

def collect(cmd, cwd, use_pty):
    env = dict(os.environ, LC_ALL="C.UTF-8", COLUMNS="100")
    if use_pty:
        env["TERM"] = "xterm-256color"
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        attrs = termios.tcgetattr(slave)
        attrs[1] &= ~termios.OPOST
        termios.tcsetattr(slave, termios.TCSANOW, attrs)
        p = subprocess.Popen(cmd, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
        os.close(slave)
        fds = {master: "stdout"}
    else:
        p = subprocess.Popen(cmd, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        fds = {p.stdout.fileno(): "stdout", p.stderr.fileno(): "stderr"}
    chunks, left = [], {"stdout": b"", "stderr": b""}
    while fds:
        for fd in select.select(list(fds), [], [])[0]:
            try:
                data = os.read(fd, 1 << 16)
            except OSError:
                data = b""
            name = fds[fd]
            if not data:
                del fds[fd]
                if left[name]:
                    chunks.append((name, left[name]))
                continue
            data = left[name] + data
            cut = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
            if cut:
                chunks.append((name, data[:cut]))
            left[name] = data[cut:]
    return chunks, p.wait()

def main():
    a = argparse.ArgumentParser()
    a.add_argument("--pty", action="store_true")
    a.add_argument("--cwd", default=".")
    a.add_argument("--sub", action="append", default=[])
    a.add_argument("out")
    a.add_argument("cmd", nargs=argparse.REMAINDER)
    o = a.parse_args()
    cmd = o.cmd[1:] if o.cmd[:1] == ["--"] else o.cmd
    chunks, code = collect(cmd, o.cwd, o.pty)
    merged = []
    for name, data in chunks:
        if merged and merged[-1][0] == name:
            merged[-1][1] += data
        else:
            merged.append([name, data])
    def clean(data):
        for s in o.sub:
            old, new = s.rsplit("=", 1)
            data = data.replace(old.encode(), new.encode())
        return data
    os.makedirs(os.path.dirname(o.out), exist_ok=True)
    with open(o.out, "wb") as f:
        f.write(clean(("# %s\n" % " ".join(cmd)).encode()))
        f.write(b"# exit %d\n" % code)
        for name, data in merged:
            data = clean(data)
            f.write(b"-- %s %d --\n" % (name.encode(), len(data)))
            f.write(data + b"\n")
    print(o.out, "exit", code, "bytes", sum(len(d) for _, d in merged))

main()
