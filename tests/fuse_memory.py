"""A file system in the memory of this process, mounted by FUSE: `fuse_memory.py FOLDER [SILENT]`, for tests as root.

It answers the kernel's requests by their own layout (include/uapi/linux/fuse.h, version 7.31). With SILENT, a request's
number such as 15 (read), it answers the first of that kind and takes no more of any, as a server that has died.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import sys
import time
from dataclasses import dataclass, field

LOOKUP, FORGET, GETATTR, SETATTR, MKDIR, UNLINK, RMDIR, RENAME = 1, 2, 3, 4, 9, 10, 11, 12
OPEN, READ, WRITE, STATFS, RELEASE, FSYNC, FLUSH, INIT, OPENDIR, READDIR = 14, 15, 16, 17, 18, 20, 25, 26, 27, 28
RELEASEDIR, FSYNCDIR, ACCESS, CREATE, INTERRUPT, BATCH_FORGET, RENAME2 = 29, 30, 34, 35, 36, 42, 45
SIZE, MODE = 1 << 3, 1 << 0  # what setattr sets
KEEPS = 2  # opening leaves what the page cache holds of the file (FOPEN_KEEP_CACHE)
ROOM = 1 << 30
DONE = b""


@dataclass
class Node:
    mode: int
    data: bytearray = field(default_factory=bytearray)
    names: dict[bytes, int] = field(default_factory=dict)


class Memory:
    def __init__(self) -> None:
        self.nodes = {1: Node(stat.S_IFDIR | 0o755)}
        self.last = 1

    def attributes(self, number: int) -> bytes:
        node = self.nodes[number]
        blocks = (len(node.data) + 511) // 512
        return struct.pack("<6Q10I", number, len(node.data), blocks, 0, 0, 0, 0, 0, 0, node.mode, 1, 0, 0, 0, 4096, 0)

    def entry(self, number: int) -> bytes:
        return struct.pack("<4Q2I", number, 0, 3600, 3600, 0, 0) + self.attributes(number)

    def make(self, folder: int, name: bytes, mode: int) -> int:
        self.last += 1
        self.nodes[self.last] = Node(mode)
        self.nodes[folder].names[name] = self.last
        return self.last

    def remove(self, folder: int, name: bytes) -> bytes:
        number = self.nodes[folder].names.get(name)
        if number is None:
            raise OSError(errno.ENOENT, "")
        if self.nodes[number].names:
            raise OSError(errno.ENOTEMPTY, "")
        del self.nodes[folder].names[name]  # its data stay for those who have it open
        return DONE

    def set(self, number: int, body: bytes) -> bytes:
        (valid,) = struct.unpack_from("<I", body)
        node = self.nodes[number]
        if valid & SIZE:
            (size,) = struct.unpack_from("<Q", body, 16)
            node.data = node.data[:size] + bytearray(max(0, size - len(node.data)))
        if valid & MODE:
            node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(struct.unpack_from("<I", body, 68)[0])
        return struct.pack("<Q2I", 3600, 0, 0) + self.attributes(number)

    def listed(self, number: int, offset: int, most: int) -> bytes:
        found = b""
        for at, (name, child) in enumerate(self.nodes[number].names.items(), 1):
            one = struct.pack("<2Q2I", child, at, len(name), self.nodes[child].mode >> 12) + name
            one += bytes(-len(one) % 8)
            if at > offset and len(found) + len(one) <= most:
                found += one
        return found

    def write(self, number: int, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<2QI", body)
        data = self.nodes[number].data
        data.extend(bytes(max(0, offset + size - len(data))))
        data[offset : offset + size] = body[40 : 40 + size]
        return struct.pack("<2I", size, 0)

    def answer(self, what: int, number: int, body: bytes) -> bytes:
        """What is sent back behind the header; OSError as the kernel's number of an error."""
        names = body.split(b"\0")
        if what == INIT:
            version = (7, 31, 1 << 17, 1 << 5, 16, 12, 1 << 17, 1)  # flag: writes of more than a page
            return struct.pack("<4I2H2I", *version) + bytes(36)
        if what == LOOKUP:
            if names[0] not in self.nodes[number].names:
                raise OSError(errno.ENOENT, "")
            return self.entry(self.nodes[number].names[names[0]])
        if what == GETATTR:
            return struct.pack("<Q2I", 3600, 0, 0) + self.attributes(number)
        if what == SETATTR:
            return self.set(number, body)
        if what == MKDIR:
            mode = stat.S_IFDIR | struct.unpack_from("<I", body)[0] & 0o7777
            return self.entry(self.make(number, body[8:].split(b"\0")[0], mode))
        if what == CREATE:
            made = self.make(number, body[16:].split(b"\0")[0], struct.unpack_from("<2I", body)[1])
            return self.entry(made) + struct.pack("<Q2I", made, KEEPS, 0)
        if what in (UNLINK, RMDIR):
            return self.remove(number, names[0])
        if what in (RENAME, RENAME2):
            old, new = body[8 if what == RENAME else 16 :].split(b"\0")[:2]
            self.nodes[struct.unpack_from("<Q", body)[0]].names[new] = self.nodes[number].names.pop(old)
            return DONE
        if what in (OPEN, OPENDIR):
            return struct.pack("<Q2I", number, KEEPS, 0)
        if what == READ:
            _, offset, size = struct.unpack_from("<2QI", body)
            return bytes(self.nodes[number].data[offset : offset + size])
        if what == READDIR:
            _, offset, size = struct.unpack_from("<2QI", body)
            return self.listed(number, offset, size)
        if what == WRITE:
            return self.write(number, body)
        if what == STATFS:
            blocks = ROOM // 4096
            return struct.pack("<5Q4I", blocks, blocks, blocks, 1 << 20, 1 << 20, 4096, 255, 4096, 0) + bytes(24)
        if what in (RELEASE, RELEASEDIR, FSYNC, FSYNCDIR, FLUSH, ACCESS):
            return DONE
        raise OSError(errno.ENOSYS, "")


def main(folder: str, silent: int) -> None:
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    if ctypes.CDLL(None, use_errno=True).mount(b"assay", folder.encode(), b"fuse", 0, options) != 0:
        sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
    print("mounted", flush=True)
    memory, what = Memory(), -1
    while True:
        while what == silent:
            time.sleep(60)
        try:
            request = os.read(device, 1 << 18)
        except OSError:  # ENODEV: unmounted
            return
        _, what, unique, number = struct.unpack_from("<2I2Q", request)
        if what in (FORGET, BATCH_FORGET, INTERRUPT):
            continue
        try:
            error, body = 0, memory.answer(what, number, request[40:])
        except OSError as fault:
            error, body = -(fault.errno or errno.EIO), b""
        try:
            os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
        except OSError:  # ENOENT: nobody waits for it any more
            continue


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
