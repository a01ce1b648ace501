#!/usr/bin/env python3
"""Reads transport patches, from docs/pkdelta.md alone and with Python's library alone.

    pkdelta.py PATCH OLD... -o DIR

It is a second implementation, by which that page is checked: plain and slow. It
refuses recipes of LZ4 and LZO1X, methods that need decoders which Python lacks, keys, and all
tables but those of Unreal paks whose entries are all encoded.
"""

import functools
import hashlib
import os
import struct
import sys
import zlib


class Refused(Exception):
    """The patch is not what the page allows, or needs what this reader lacks."""


# BLAKE3, as its paper has it, for whole inputs.
IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
QUARTERS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))
START, END, PARENT, ROOT = 1, 2, 4, 8


def compress(cv, m, counter, size, flags):
    v = list(cv) + list(IV[:4]) + [counter & 0xFFFFFFFF, counter >> 32, size, flags]
    for turn in range(7):
        for i, (a, b, c, d) in enumerate(QUARTERS):
            va, vb, vc, vd = v[a], v[b], v[c], v[d]
            va = (va + vb + m[2 * i]) & 0xFFFFFFFF
            vd ^= va
            vd = (vd >> 16 | vd << 16) & 0xFFFFFFFF
            vc = (vc + vd) & 0xFFFFFFFF
            vb ^= vc
            vb = (vb >> 12 | vb << 20) & 0xFFFFFFFF
            va = (va + vb + m[2 * i + 1]) & 0xFFFFFFFF
            vd ^= va
            vd = (vd >> 8 | vd << 24) & 0xFFFFFFFF
            vc = (vc + vd) & 0xFFFFFFFF
            vb ^= vc
            vb = (vb >> 7 | vb << 25) & 0xFFFFFFFF
            v[a], v[b], v[c], v[d] = va, vb, vc, vd
        if turn < 6:
            m = [m[p] for p in PERMUTATION]
    return [v[i] ^ v[i + 8] for i in range(8)]


def chunk(data, counter, flags):
    cv = IV
    blocks = max(1, -(-len(data) // 64))
    for i in range(blocks):
        b = data[64 * i:64 * i + 64]
        f = (START if i == 0 else 0) | (END | flags if i == blocks - 1 else 0)
        cv = compress(cv, struct.unpack("<16I", b.ljust(64, b"\0")), counter, len(b), f)
    return cv


@functools.lru_cache(None)
def blake3(data):
    if len(data) <= 1024:
        return struct.pack("<8I", *chunk(data, 0, ROOT))
    stack = []
    count = -(-len(data) // 1024)
    for i in range(count):
        cv, n = chunk(data[1024 * i:1024 * i + 1024], i, 0), i + 1
        while n & 1 == 0 and i + 1 < count:
            cv, n = compress(IV, stack.pop() + cv, 0, 64, PARENT), n >> 1
        stack.append(cv)
    while len(stack) > 1:
        right = stack.pop()
        left = stack.pop()
        last = ROOT if not stack else 0
        stack.append(compress(IV, left + right, 0, 64, PARENT | last))
    return struct.pack("<8I", *stack[0])


try:
    import blake3 as fast

    def blake3(data):
        return fast.blake3(data).digest()
except ImportError:
    pass


# Estimates are [probability of a 1 in 1/2^22, how often it was learned from].

LOGISTIC = [
    0, 1, 1, 2, 3, 5, 8, 13, 22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743, 32768,
    40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514, 65523, 65528,
    65531, 65533, 65534, 65535, 65535, 65536]
PROBABILITY = [min(max(LOGISTIC[x >> 7] + ((LOGISTIC[min((x >> 7) + 1, 48)] - LOGISTIC[x >> 7]) * (x & 127) >> 7), 1), 65535)
               for x in range(6145)]
LOGIT, RECIPROCAL = [], [(1 << 16) // (n + 2) for n in range(81)]
for _i in range(4096):
    _x = LOGIT[-1] + 3072 if LOGIT else 0
    while _x < 6144 and PROBABILITY[_x] < _i * 16 + 8:
        _x += 1
    LOGIT.append(_x - 3072)


def tree(bits):
    return [[1 << 21, 0] for _ in range(1 << bits)]


def learn(e, b, limit):
    p, n = e
    e[0] = p + ((b * 0x3FFFFF - p) * RECIPROCAL[n] >> 16)
    if n < limit:
        e[1] = n + 1


class Mixer:
    """Weighs estimates."""

    def __init__(self, weights):
        self.weights, self.pace = weights, 1280

    def bit(self, s, logits):
        w = self.weights
        x = sum(map(int.__mul__, logits, w)) >> 16
        p = PROBABILITY[min(max(x, -3072), 3072) + 3072]
        b = s.coin(p)
        e = ((b << 16) - p) * (self.pace >> 3) >> 4
        if self.pace > 160:
            self.pace -= 1
        self.weights = [v + (l * e + 32768 >> 16) for v, l in zip(w, logits)]
        return b


class Trio(Mixer):
    def __init__(self):
        super().__init__([26000] * 3)

    def read(self, s, *estimates):
        b = self.bit(s, [LOGIT[e[0] >> 10] for e in estimates])
        for e in estimates:
            learn(e, b, 30)
        return b


class Number:
    """A number in one context: how long it is, its next 4 bits, and the rest."""

    def __init__(self, low):
        self.count, self.top, self.low = tree(7), {}, [tree(1) for _ in range(low)]

    def read(self, s):
        n = s.tree(self.count, 7)
        if n <= 1:
            return n
        if n > 64:
            raise Refused("a number of more than 64 bits")
        k = min(4, n - 1)
        v = 1 << k | s.tree(self.top.setdefault(n, tree(4)), k)
        rest = n - 1 - k
        low = min(rest, len(self.low))
        return v << rest | s.direct(rest - low) << low | s.low(self.low, low)


class Flag:
    def __init__(self):
        self.state = [tree(2) for _ in range(12)]
        self.recent, self.byte, self.trio = tree(6), [tree(8) for _ in range(4)], Trio()


class Length:
    def __init__(self):
        self.align, self.last, self.other = [tree(6) for _ in range(4)], {}, {}
        self.trios, self.bits, self.low, self.prior = [Trio() for _ in range(6)], {}, {}, 0

    def read(self, s, align, other):
        at = 1
        x, y = self.align[align], self.last.setdefault(self.prior, tree(6))
        z = self.other.setdefault(other, tree(6))
        for t in self.trios:
            at = at << 1 | t.read(s, x[at], y[at], z[at])
        n = at - 64 + 2
        if at >= 96:
            more = min(at - 96, 30)
            lead = min(more, 3)
            v = 1 << lead | s.tree(self.bits.setdefault(more, tree(3)), lead)
            low = min(more - lead, 8)
            v = v << more - lead - low | s.direct(more - lead - low)
            n = (v << low | s.low(self.low.setdefault(more, [tree(1) for _ in range(8)]), low)) - 1 + 34
        self.prior = min(n, 63)
        return n


class Literals:
    def __init__(self):
        self.slots = {}
        self.mixers = [Mixer([17000] * 7) for _ in range(64)]
        # Of two kinds of places behind a match: by what the last byte differed, whether the last four differed so, estimates.
        self.moves = [({}, {}, {}) for _ in range(2)]

    def find(self, hashes, node):
        found = []
        for h in hashes:
            h = spread(h, node) >> 18
            found.append(self.slots.get(h) or self.slots.setdefault(h, tree(4)))
        return found

    def read(self, s, align, behind, run, before, expected):
        was, e, a, b = expected
        c1, two = before & 0xFF, min(behind, 2)
        last, want, diff = 1 << 24 | c1, 3 << 24 | e << 2 | two, 4 << 24 | e << 8 | c1 - was & 0xFF
        hashes = (2 << 24 | before & 0xFFFF, last, want, diff), (align, last, want, diff)
        kinds, moved = [], []
        if behind < 3:
            kinds = [(behind, min(run, 63)), (behind, (a | b << 8) * 0x9E3779B1 >> 22 & 0x3FF)]
        for kind, (by, _, _) in zip(kinds, self.moves):
            moved.append(e + by[kind] & 0xFF | 0x100 if by.get(kind) else 0)
        node = 1
        for i in range(8):
            if i & 3 == 0:
                slots = self.find(hashes[i >> 2], node)
            leaf = node & (1 << (i & 3)) - 1 | 1 << (i & 3)
            estimates = [t[leaf] for t in slots]
            logits = [LOGIT[t[0] >> 10] for t in estimates]
            agrees = int((e | 0x100) >> 8 - i == node)
            for kind, byte, (_, hits, again) in zip(kinds, moved, self.moves):
                if byte >> 8 - i == node:
                    t = again.setdefault((behind, hits.get(kind, 0), i, agrees, byte >> 7 - i & 1), [1 << 21, 0])
                    estimates.append(t)
                    logits.append(LOGIT[t[0] >> 10])
                else:
                    logits.append(0)
            logits += [0] * (6 - len(logits)) + [256]
            bit = self.mixers[(behind * 2 + agrees) * 8 + i].bit(s, logits)
            for t in estimates:
                learn(t, bit, 80)
            node = node << 1 | bit
        node &= 0xFF
        for kind, (by, hits, _) in zip(kinds, self.moves):
            hits[kind] = hits.get(kind, 0) << 1 & 15 | int(node == e + by.get(kind, 0) & 0xFF)
            if node != e:
                by[kind] = node - e & 0xFF
        return node


def spread(h, n):
    h = (h + n * 0x9E3779B1) * 0x2C1B3C6D & 0xFFFFFFFF
    return (h ^ h >> 15) * 0x297A2D39 & 0xFFFFFFFF


class Corrections:
    """Numbers that differ from those of the source, by four tables of key, difference and hits."""

    def __init__(self):
        self.tables = [{} for _ in range(4)]
        self.estimates = [{} for _ in range(5)]
        self.mixers = [[Mixer([22000] * 5) for _ in range(4)] for _ in range(4)]
        self.lag = self.span = 63
        self.known, self.flags, self.lately = False, {}, 0

    def is_corrected(self, s, n, first):
        key = self.lately & 7, min(n.bit_length() >> 1, 3), first
        b = s.bit(self.flags.setdefault(key, [1 << 21, 0]))
        self.lately = self.lately << 1 | b
        return b

    @staticmethod
    def around(old, at):
        """Six numbers of the source from 16 bytes before a place on, and the byte before it."""
        part = bytes(old[max(at - 16, 0):max(at + 8, 0)])
        part = (b"\0" * min(max(16 - at, 0), 24) + part)[:24].ljust(24, b"\0")
        return struct.unpack("<6I", part), part[15]

    @staticmethod
    def keys(u, p):
        v, n = u[4:]
        return [k | 1 for k in (spread(v, n), spread(v & 0xFFFF, p), spread(v >> 5, int(n == 0)), spread(v & 0xFFFF, 0))]

    def run(self, s, old, at, n):
        out = bytearray()
        while len(out) < n:
            self.lag = min(self.lag + 1, 63)
            got = self.number(s, old, at + len(out), n - len(out))
            if got:
                self.span, self.lag = self.lag, 0
            out += got or old[at + len(out):at + len(out) + 1]
        return out

    def number(self, s, old, at, left):
        u, p = self.around(old, at)
        seen = []
        for t, k in enumerate(self.keys(u, p)):
            e = self.tables[t].get(k >> 20)
            if not e or e[0] != k or e[1] & 0xFF == 0 or e[1] in seen:
                continue
            seen.append(e[1])
            total = u[4] + e[1] & 0xFFFFFFFF
            m = (total ^ u[4]).bit_length() + 7 >> 3
            if m > left:
                continue
            b = self.bit(s, t, e[2], u)
            e[2] = e[2] << 1 & 0xFF | b
            if b:
                return total.to_bytes(4, "little")[:m]
        return b""

    def bit(self, s, t, hits, u):
        contexts = hits << 6 | self.lag, spread(u[3], u[2]), spread(u[1], u[0]), spread(u[4], u[5]), self.lag << 6 | self.span
        found = [e.setdefault(spread(c, t) >> 20, [1 << 21, 0]) for e, c in zip(self.estimates, contexts)]
        b = self.mixers[t][hits & 3].bit(s, [LOGIT[e[0] >> 10] for e in found])
        for e in found:
            learn(e, b, 30)
        return b

    def learn(self, old, at, new):
        i = 0
        while i < len(new):
            u, p = self.around(old, at + i)
            if new[i] == u[4] & 0xFF:
                i += 1
                continue
            part = bytes(new[i:i + 4])
            w = int.from_bytes(part + u[4].to_bytes(4, "little")[len(part):], "little")
            d = w - u[4] & 0xFFFFFFFF
            for t, k in zip(self.tables, self.keys(u, p)):
                e = t.get(k >> 20)
                if not e or e[0] != k:
                    t[k >> 20] = [k, d, 1]
                elif e[1] != d:
                    e[1:] = d, e[2] << 1 & 0xFF
            self.known = True
            i += (w ^ u[4]).bit_length() + 7 >> 3


class Stream:
    """A delta stream: numbers and contents."""

    def __init__(self, data):
        self.data, self.at, self.range, self.code = data, 0, 0xFFFFFFFF, 0
        for _ in range(4):
            self.shift()
        self.numbers = [Number(16) for _ in range(32)]
        self.history = bytearray()
        self.plain = tree(0)[0]
        self.match, self.repeat, self.repeat0, self.long = Flag(), Flag(), Flag(), Flag()
        self.repeat1, self.repeat2 = ([tree(0)[0] for _ in range(12)] for _ in range(2))
        self.is_old = [tree(2), tree(2)]
        self.length, self.repeat_length = Length(), Length()
        self.way = [tree(2) for _ in range(4)]
        self.from_end, self.from_shift, self.from_prior = Number(8), Number(8), Number(8)
        self.position = tree(6), [tree(1) for _ in range(8)]
        self.distance = [Number(8) for _ in range(4)]
        self.literals, self.run, self.corrections = Literals(), 0, Corrections()

    def shift(self):
        if self.at >= len(self.data) + 4:
            raise Refused("the stream ends too early")
        self.code = (self.code << 8 | (self.data[self.at] if self.at < len(self.data) else 0)) & 0xFFFFFFFF
        self.at += 1

    def coin(self, p):
        """A bit that is 1 with a probability of p / 65536."""
        bound = (self.range >> 16) * p
        if self.code < bound:
            self.range, b = bound, 1
        else:
            self.code -= bound
            self.range, b = self.range - bound, 0
        while self.range < 1 << 24:
            self.range <<= 8
            self.shift()
        return b

    def bit(self, e):
        b = self.coin(min(max(e[0] >> 6, 1), 65535))
        learn(e, b, 30)
        return b

    def direct(self, n):
        v = 0
        while n > 0:
            k = min(n, 16)
            n -= k
            self.range >>= k
            part = min(self.code // self.range, (1 << k) - 1)
            self.code -= part * self.range
            v = v << k | part
            while self.range < 1 << 24:
                self.range <<= 8
                self.shift()
        return v

    def tree(self, estimates, bits):
        m = 1
        for _ in range(bits):
            m = m << 1 | self.bit(estimates[m])
        return m - (1 << bits)

    def low(self, estimates, n):
        v = before = 0
        for i in range(n):
            before = self.bit(estimates[i][before])
            v |= before << i
        return v

    def number(self, context):
        return self.numbers[context].read(self)

    def signed(self, context):
        v = self.number(context)
        return v >> 1 ^ -(v & 1)

    def content(self, length, old, guess):
        """Returns a content and the cursor behind it."""
        out, start = self.history, len(self.history)
        end = start + length
        # A reference is (whether it is to the old content, shift).
        refs = [(True, guess), (True, len(old) - length), (False, -1), (False, -4)]
        # Of the last reference to the old content: its shift, the one before that was another, and where it ended in the new one.
        # Literals since the last match, 3 at most.
        state, shift, prior, ended, few = 7, guess, len(old) - length, 0, 0

        def byte(ref, at, limit):
            if ref[0]:
                p = at - start + ref[1]
                return old[p] if 0 <= p < len(old) else None
            p = at + ref[1]
            return out[p] if 0 <= p < limit and ref[1] >= -(4 << 20) else None

        def signed(number):
            v = number.read(self)
            return v >> 1 ^ -(v & 1)

        while len(out) < end:
            stop = min(len(out) + (16 << 10), end)
            if self.bit(self.plain):
                while stop - len(out) >= 2:
                    out += self.direct(16).to_bytes(2, "big")
                if len(out) < stop:
                    out.append(self.direct(8))
                state = 0
                continue
            while len(out) < stop:
                at = len(out)
                pos = at - start
                align, before = pos & 3, int.from_bytes(out[-4:], "big")
                behind = 0 if state >= 7 else 1 if state >= 4 else 2 if state >= 1 else 3
                recent = min(self.run.bit_length(), 15) << 2 | few

                def flag(f):
                    return f.trio.read(self, f.state[state][align], f.recent[recent], f.byte[behind][before & 0xFF])

                if flag(self.match) == 0:
                    expected = [byte(refs[0], at + i, at) or 0 for i in range(-1, 3)]
                    out.append(self.literals.read(self, align, behind, self.run, before, expected))
                    state, few = 0 if state < 4 else state - 3 if state < 10 else state - 6, min(few + 1, 3)
                    continue
                if flag(self.repeat) == 0:
                    n = self.length.read(self, align, before & 0xFF)
                    if self.bit(self.is_old[int(refs[0][0])][few]):
                        way = self.tree(self.way[few], 2)
                        if way == 0:
                            ref = (True, ended + shift + signed(self.from_end) - pos)
                        elif way == 1:
                            ref = (True, shift + signed(self.from_shift))
                        elif way == 3:
                            ref = (True, prior + signed(self.from_prior))
                        else:
                            k = (max(len(old), 1) - 1).bit_length()
                            lead = min(k, 6)
                            low = min(k - lead, 8)
                            v = self.tree(self.position[0], lead) << k - lead | self.direct(k - lead - low) << low
                            ref = (True, (v | self.low(self.position[1], low)) - pos)
                    else:
                        ref = (False, -1 - self.distance[min(n, 5) - 2].read(self))
                    refs = [ref] + refs[:3]
                    state = 7 if state < 7 else 10
                    first = False
                else:
                    n, first = 0, False
                    if flag(self.repeat0) == 0:
                        first = True
                        if flag(self.long) == 0:
                            n = 1
                    else:
                        i = 1
                        if self.bit(self.repeat1[state]):
                            i = 2 + self.bit(self.repeat2[state])
                        refs.insert(0, refs.pop(i))
                    if n == 1:
                        state = 9 if state < 7 else 11
                    else:
                        n = self.repeat_length.read(self, align, recent)
                        state = 8 if state < 7 else 11
                self.run, few, gap, c = n, 0, 0, self.corrections
                corrected = n > 1 and refs[0][0] and c.known and c.is_corrected(self, n, first)
                if refs[0][0]:
                    gap = pos - ended if refs[0][1] == shift else 0
                    if refs[0][1] != shift:
                        prior = shift
                    shift, ended = refs[0][1], pos + n
                if n > end - at:
                    raise Refused("a step passes the end of its content")
                if corrected:
                    if not 0 <= pos + shift <= len(old) - n:
                        raise Refused("a reference to where nothing is")
                    out += c.run(self, old, pos + shift, n)
                    c.learn(old, pos + shift, out[at:])
                    n = 0
                for _ in range(n):
                    b = byte(refs[0], len(out), len(out))
                    if b is None:
                        raise Refused("a reference to where nothing is")
                    out.append(b)
                if 1 <= gap <= 8:
                    c.learn(old, pos - gap + shift, out[at - gap:at])
        return bytes(out[start:]), length + shift


class Fields:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        v = shift = 0
        while True:
            b = self.bytes(1)[0]
            v |= (b & 0x7F) << shift
            shift += 7
            if b < 0x80:
                return v
            if shift > 63:
                raise Refused("a number of more than 64 bits")

    def bytes(self, n):
        if n > len(self.data) - self.at:
            raise Refused("the file ends too early")
        self.at += n
        return self.data[self.at - n:self.at]

    def signed(self):
        v = self.number()
        return v >> 1 ^ -(v & 1)

    def line(self):
        end = self.data.index(b"\0", self.at)
        self.at, p = end + 1, self.data[self.at:end]
        return p

    def list(self, read):
        return [read() for _ in range(self.number())]


def first(data, n=16):
    return blake3(data)[:n]


def all_sums(sums):
    """The sum of one file, or that of the sums of several."""
    return sums[0] if len(sums) == 1 else first(b"".join(sums))


METHODS = ("", "zlib", "gzip", "lz4", "zstd", "lzo1x", "oodle")
MADE, STEP, NAME, SIZE, ALONE, EXEC = 1, 2, 4, 8, 16, 32


def is_safe(name):
    return not (any(p in ("", ".", "..") or p.lower().startswith(".pakdb-") for p in name.split("/")) or set(name) & set("\\:\0"))


class Patch:
    def __init__(self, data):
        f = Fields(data)
        if f.bytes(3) != b"pkd":
            raise Refused("not a pkdelta file")
        how = f.bytes(1)[0]
        self.modes = bool(how & 0x10)
        if how & 0x0F != 1:
            raise Refused("another version")
        body = f.bytes(f.number())
        before = b"pkd" + bytes([how & 0x7F]) + data[4:f.at]
        stored = f.bytes(8)
        self.signature = f.bytes(f.number()) if how & 0x80 else b""
        only = None if how & 0x40 else f.bytes(len(data) - f.at)
        self.root = blake3(before + (only or b""))
        if stored != self.root[:8]:
            raise Refused("the file is not what its root says")
        h = sums = Fields(body)
        if how & 0x20:
            s, plain = Stream(h.bytes(h.number())), b""
            size = s.number(0)
            if size > 64 << 20:
                raise Refused("a header of %d bytes" % size)
            while len(plain) < size:
                plain += s.content(min(1 << 20, size - len(plain)), b"", 0)[0]
            h = Fields(plain)
        self.columns(h, how & 0x40)
        self.old_sum, self.new_sum = sums.bytes(8), sums.bytes(16)
        n = len(self.old)
        self.bits = 64 if n < 2 else 16 if n <= 64 else 8 if n <= 256 else 2
        if n == 1:
            self.old_sums = [int.from_bytes(self.old_sum, "big")]
        else:
            size = -(-n * self.bits // 8)
            all = int.from_bytes(sums.bytes(size), "big")
            self.old_sums = [all >> 8 * size - (i + 1) * self.bits & (1 << self.bits) - 1 for i in range(n)]
        names = {x[0] for x in self.new}
        self.removed = [(name, size, sums.bytes(16)) for name, size in self.old if name not in names]
        self.segments = [(at, f.bytes(n), sums.bytes(16)) for at, n in self.listed]
        if only:
            self.segments = [(next(i for i, x in enumerate(self.new) if x[3]), only, None)]
        if h.at != len(h.data) or sums.at != len(body) or f.at != len(data):
            raise Refused("bytes behind the end")
        seen = set()
        for name, _, _, _, _ in self.new:
            if not is_safe(name) or name.lower() in seen:
                raise Refused("the name %r" % name)
            seen.add(name.lower())

    def columns(self, h, listed):
        head = h.bytes(1)[0]
        n, kinds = 1, [head >> 2]
        if not head & 1:
            n, count = h.number(), h.number()
            kinds = h.bytes(count)
        twins, at = [], 0
        for k in kinds:
            if k & ALONE:
                twins.append(None)
                continue
            if k & STEP:
                at += h.signed()
            if not 0 <= at < n:
                raise Refused("old file %d" % at)
            twins.append(at)
            at += 1
        sizes = [h.number() for _ in range(n)]
        new_sizes = [h.number() if k & ALONE else sizes[t] + (h.signed() if k & SIZE else 0) for k, t in zip(kinds, twins)]
        self.recipes, self.memory = [], 48
        if head & 2:
            self.recipes = h.list(lambda: (METHODS[h.number()], h.bytes(4)))
            if h.list(lambda: h.bytes(24)):
                raise Refused("a patch that needs keys")
            self.memory = h.number()
        self.listed = []
        if listed:
            stored, at = h.list(h.number), 0
            for size in stored:
                at += h.number()
                self.listed.append((at, size))
        self.told = twins
        last = None

        def line():
            nonlocal last
            last = b"" if last is None else last[:h.number()]
            last += h.line()
            return last.decode()

        self.old = [(line(), size) for size in sizes]
        self.names = b""
        self.new = []  # name, size, the old file that it is, whether operations make it, whether it is executable
        for k, t, size in zip(kinds, twins, new_sizes):
            name = line() if k & (NAME | ALONE) else self.old[t][0]
            same = None if k & (MADE | SIZE | ALONE) else t
            if (size > 0) != bool(k & MADE) and same is None or size < 0:
                raise Refused("the size of %s" % name)
            if k & EXEC and not self.modes:
                raise Refused("the kind of %s" % name)
            self.new.append((name, size, same, bool(k & MADE), bool(k & EXEC)))
        if len(self.old) != 1 or len(self.new) != 1:
            listed = [name for name, _ in self.old] + [x[0] for x, t in zip(self.new, twins) if t is None or x[0] != self.old[t][0]]
            self.names = b"".join(name.encode() + b"\0" for name in listed)


def inflate(data, size, wbits):
    d = zlib.decompressobj(wbits)
    p = d.decompress(data, size)
    if len(p) != size:
        raise Refused("a block of another size")
    return p


def lz4(data, size):
    out, i = bytearray(), 0

    def more(n):
        nonlocal i
        while n >= 15:
            n += data[i]
            i += 1
            if data[i - 1] != 255:
                break
        return n

    while i < len(data):
        token = data[i]
        i += 1
        n = more(token >> 4)
        out += data[i:i + n]
        i += n
        if i >= len(data):
            break
        distance = data[i] | data[i + 1] << 8
        i += 2
        n = more(token & 15) + 4
        for _ in range(n):
            out.append(out[-distance])
    if len(out) != size:
        raise Refused("a block of another size")
    return bytes(out)


def lzo1x(data, size):
    out, i, state = bytearray(), 0, 0

    def more(base, mask, t):
        nonlocal i
        n = t & mask
        if n == 0:
            n = mask
            while data[i] == 0:
                n, i = n + 255, i + 1
            n, i = n + data[i], i + 1
        return base + n

    def copy(n, distance):
        for _ in range(n):
            out.append(out[-distance])

    def take(n):
        nonlocal i
        out.extend(data[i:i + n])
        i += n

    if data[0] > 17:
        n, i = data[0] - 17, 1
        take(n)
        state = 4 if n >= 4 else n
    while True:
        t = data[i]
        i += 1
        if t < 16:
            if state == 0:
                take(more(3, 15, t))
                state = 4
                continue
            b = data[i]
            i += 1
            if state < 4:
                copy(2, (b << 2) + (t >> 2) + 1)
            else:
                copy(3, (b << 2) + (t >> 2) + 2049)
        elif t < 32:
            n = more(2, 7, t)
            low = data[i] | data[i + 1] << 8
            i += 2
            distance = 16384 + ((t & 8) << 11) + (low >> 2)
            if distance == 16384:
                break
            copy(n, distance)
            t = low
        elif t < 64:
            n = more(2, 31, t)
            low = data[i] | data[i + 1] << 8
            i += 2
            copy(n, (low >> 2) + 1)
            t = low
        else:
            b = data[i]
            i += 1
            n = (t >> 5) + 1 if t >= 128 else 3 + (t >> 5 & 1)
            copy(n, (b << 3) + (t >> 2 & 7) + 1)
        state = t & 3
        take(state)
    if len(out) != size:
        raise Refused("a block of another size")
    return bytes(out)


def decode(method, data, size):
    if method == 0:
        return data
    if method in (1, 2):
        return inflate(data, size, 15 if method == 1 else 31)
    if method == 3:
        return lz4(data, size)
    if method == 5:
        return lzo1x(data, size)
    raise Refused("method %d, for which Python has no decoder" % method)


def encode(recipe, content):
    method, params = recipe
    if method == "":
        return content
    if method == "zlib":
        level, memory, wbits, strategy = params
        c = zlib.compressobj(level, zlib.DEFLATED, -wbits if strategy & 0x80 else wbits, memory, strategy & 0x7F)
        return c.compress(content) + c.flush()
    raise Refused("recipe %s" % method)


class Machine:
    """Executes segments. The new files are in memory."""

    def __init__(self, patch, old):
        self.patch, self.old, self.done, self.out, self.file = patch, old, [], bytearray(), 0
        self.digests, self.copies, self.guesses = [], [], []

        self.unchanged()

    def next(self):
        """Completes the new file at hand, and those behind it that are old ones."""
        name, size = self.patch.new[self.file][:2]
        if len(self.out) != size:
            raise Refused("%s would be another file" % name)
        self.done.append(bytes(self.out))
        self.file, self.out = self.file + 1, bytearray()
        self.digests, self.copies, self.guesses = [], [], []
        self.unchanged()

    def unchanged(self):
        while self.file < len(self.patch.new) and not self.patch.new[self.file][3]:
            same = self.patch.new[self.file][2]
            self.done.append(b"" if same is None else self.old[same])
            self.file += 1

    def run(self, data):
        s = self.s = Stream(data)
        self.source, self.cursor, self.last = b"", 0, (0, 0, 0, 0)
        self.ranges = []  # of the source: (start in it, file, offset, length), those without method
        self.ends, self.starts = [(0, 0)] * 4, []
        for _ in range(4):
            self.to_file()
        tables = None
        raw_from = raw_to = digest_end = 0
        same = -1
        while True:
            op = s.number(0)
            if op == 0:
                return
            elif op == 1:
                n = s.number(4) or min(self.lacks(), 1 << 20)
                guess = self.cursor + s.signed(5)
                self.guessed(guess, n)
                p, self.cursor = s.content(n, self.source, guess)
                raw_from, raw_to = len(self.out), len(self.out) + n
                self.out += p
            elif op == 2:
                n, at = s.number(1), s.number(27)
                if at < 4:
                    file, off = self.ends[at]
                else:
                    file = len(self.old)
                    if at > 4:
                        file = next((f for f, _ in self.ends if f < len(self.old)), 0) + (at - 5 >> 1 ^ -(at - 5 & 1))
                    at, off = 3, next((end for f, end in self.ends if f == file), 0) + s.signed(3)
                    if not 0 <= file <= len(self.old):
                        raise Refused("a copy from file %d" % file)
                if n < 2:
                    n = self.lacks() if n == 0 else len((self.old + [self.out])[file]) - off
                else:
                    n -= 2
                del self.ends[at]
                self.copy(file, off, n)
                self.ends.insert(0, (file, off + n))
                self.follow()
            elif op in (3, 8):
                self.source, self.cursor, self.ranges, self.starts = b"", 0, [], []
                if op == 3:
                    for file, p in enumerate(self.old):
                        self.starts.append(len(self.source))
                        self.ranges.append((len(self.source), file, 0, len(p)))
                        self.source += p
                    self.source += self.patch.names
                for _ in range(s.number(10)):
                    self.source += self.range()
                self.follow()
            elif op in (4, 6):
                at = raw_from + s.signed(16)
                if op == 4:
                    start = raw_to + s.signed(17)
                    end = len(self.out) - s.number(18)
                else:
                    start, n = struct.unpack("<QQ", self.out[at - 16:at])
                    end = start + n
                if not 0 <= start <= end <= len(self.out):
                    raise Refused("a digest of what is not there")
                self.out[at:at + 20] = hashlib.sha1(self.out[start:end]).digest()
                self.digests.append(at)
                digest_end = at + 20
            elif op == 5:
                self.next()
                raw_from = raw_to = digest_end = 0
                same = -1
                if self.file < len(self.patch.new):
                    self.to_file()
            elif op == 7:
                n, block, recipe = s.number(6), s.number(8), s.number(9)
                guess, content = self.cursor + s.signed(7), b""
                while len(content) < n:
                    p, guess = s.content(min(1 << 20, n - len(content)), self.source, guess)
                    content += p
                self.cursor = guess
                for i in range(0, n, block):
                    self.out += encode(self.patch.recipes[recipe], content[i:i + block])
            elif op == 9:
                at = digest_end + s.signed(19)
                same += 1 + s.signed(20)
                of = self.digests[same]
                self.out[at:at + 20] = self.out[of:of + 20]
                digest_end = at + 20
            elif op == 10:
                d = s.signed(22)
                pieces = tables.pieces.take(d, s.number(23) + 1, False)
                begin, end, at = pieces[0].begin, pieces[-1].end, len(self.out)
                self.copy(tables.entries, begin, end - begin)
                if tables.version in (3, 4):
                    for p in pieces:
                        tables.move(self.out, at + p.begin - begin, at - begin)
                self.ends = [(tables.entries, end)] + self.ends[:3]
                self.follow()
            elif op == 11:
                self.source, self.cursor, self.ranges, self.starts = tables.predict(self), 0, [], []
            elif op == 12:
                if s.number(21) != 0:
                    raise Refused("tables of another kind")
                tables = self.tables()
            elif op == 14:
                self.out += self.range()
            else:
                raise Refused("operation %d" % op)
            if self.file == len(self.patch.new) or len(self.out) > self.patch.new[self.file][1]:
                raise Refused("more output than declared")

    def tables(self):
        entries, file = self.s.number(2), self.last[0] + self.s.signed(11)
        n, data = self.last[2] + self.s.signed(13), self.old[file]
        if not 0 <= n <= len(data):
            raise Refused("tables of %d bytes" % n)
        self.last = (file, len(data), n, n)
        return Pak(data, len(data) - n, entries)

    def lacks(self):
        return self.patch.new[self.file][1] - len(self.out)

    def to_file(self):
        """Copies may go on from the start of the old file that tells about the one at hand."""
        told = self.patch.told[self.file]
        if told is not None:
            self.ends = [(told, 0)] + self.ends[:3]
        self.follow()

    def follow(self):
        file, off = self.ends[0]
        if file < len(self.starts):
            self.cursor = self.starts[file] + off

    def copy(self, file, off, n):
        if file == len(self.old):
            for _ in range(n):
                self.out.append(self.out[off])
                off += 1
            return
        p = self.old[file]
        if off < 0 or n > len(p) - off:
            raise Refused("a copy of what an old file does not have")
        self.copies.append((file, off, n, len(self.out)))
        self.out += p[off:off + n]

    def guessed(self, guess, n):
        """Notes where a content probably stood in an old file."""
        for start, file, off, length in self.ranges:
            if start <= guess < start + length:
                at = guess - start
                self.guesses.append((file, off + at, min(n, length - at), len(self.out)))

    def went(self, file, place):
        """Where an old place went in the new file, or None."""
        for known in self.copies, self.guesses:
            best = None
            for f, off, n, at in sorted((c for c in known if c[0] == file), key=lambda c: c[1]):
                if off == place:
                    return at
                if off < place:
                    best = (off, n, at)
            if best and place < best[0] + best[1]:
                return best[2] + place - best[0]
        return None

    def range(self):
        s = self.s
        file, off, stored, size = self.last[0], self.last[1], self.last[2], self.last[3]
        before, file = file, file + s.signed(11)
        start = (off if file == before else 0) + s.signed(12)
        stored += s.signed(13)
        method = s.number(14)
        size = stored if method == 0 else size + s.signed(15)
        self.last = (file, start + stored, stored, size)
        if method == 0:
            self.ranges.append((len(self.source), file, start, stored))
        p = self.old[file]
        if start < 0 or stored < 0 or stored > len(p) - start:
            raise Refused("a range of what an old file does not have")
        return decode(method, p[start:start + stored], size)


class Queue:
    """Items in an order, each to be taken once."""

    def __init__(self, items):
        self.items, self.left, self.behind = items, list(range(len(items))), 0

    def take(self, d, run, all_left):
        k = sum(1 for i in self.left if i < self.behind)
        first = self.left[(k + d) % len(self.left)]
        taken = range(first, first + run)
        if taken[-1] >= len(self.items) or all_left and set(taken) - set(self.left):
            raise Refused("a run of what is taken")
        self.left = [i for i in self.left if i not in taken]
        self.behind = first + run
        return [self.items[i] for i in taken]


class Row:
    def __init__(self, name, record, begin, end):
        self.name, self.record, self.begin, self.end = name, record, begin, end


DELETED = -1 << 31


class Pak:
    """The tables of an old pak, laid out as codecs/unrealpak/FORMAT.md says."""

    def __init__(self, data, start, entries):
        self.entries, self.read = entries, (data, start, entries)
        magic = data.rfind(b"\xe1\x12\x6f\x5a", len(data) - 512)
        self.version, at, size = struct.unpack_from("<IQQ", data, magic + 4)
        if self.version > 12:
            raise Refused("tables of a pak of version %d" % self.version)
        self.stays, self.footer = data[start:at], data[at + size:]
        # Version 8 comes with one byte for the method where the footer names four.
        self.small = self.version == 8 and len(data) - magic == 44 + 4 * 32
        f = Fields(data[at:at + size])
        self.mount = self.string(f)
        if self.version > 9:
            self.read_regions(data, f)
        else:
            self.read_index(f)
        self.magic = magic - (len(data) - len(self.footer))
        pieces, end = [], 0
        for r in sorted((r for r in self.rows if r.begin is not None and r.end <= len(data)), key=lambda r: r.begin):
            if r.begin >= end:
                pieces.append(r)
                end = r.end
        self.pieces = Queue(pieces)
        for r in self.rows:
            r.entries = entries

    def join(self, other):
        """Takes over the rows of another archive's tables."""
        if other.version != self.version:
            raise Refused("tables of versions %d and %d" % (self.version, other.version))
        self.rows = self.rows + other.rows
        if self.version > 9:
            self.full, self.pruned = self.full + other.full, self.pruned + other.pruned
            if other.seed != self.seed:
                self.hash_again(other.rows)

    def hash_again(self, rows):
        for r in rows:
            r.hash = self.path_hash(plain(r.folder).lstrip("/") + plain(r.name))

    def read_index(self, f):
        self.rows = []
        for _ in range(struct.unpack("<I", f.bytes(4))[0]):
            name, before = self.string(f), f.at
            begin, stored = self.record(f)
            record = f.data[before:f.at]
            if self.version >= 6 and self.encrypted & 2:
                self.rows.append(Row(name, record, None, None))
            else:
                self.rows.append(Row(name, record, begin, begin + len(record) + stored))
    def string(self, f):
        n, = struct.unpack("<i", f.bytes(4))
        return struct.pack("<i", n) + f.bytes(n if n >= 0 else -2 * n)

    def record(self, f):
        """Returns where the entry begins and how much is stored."""
        begin, stored, self.size = struct.unpack("<QQQ", f.bytes(24))
        self.method, = struct.unpack("<B", f.bytes(1)) if self.small else struct.unpack("<I", f.bytes(4))
        f.bytes(20 + (8 if self.version == 1 else 0))
        self.blocks = []
        if self.version >= 3:
            if self.method:
                for _ in range(struct.unpack("<I", f.bytes(4))[0]):
                    self.blocks.append(struct.unpack("<QQ", f.bytes(16)))
            self.encrypted, self.block = struct.unpack("<BI", f.bytes(5))
        return begin, stored

    def move(self, out, at, by):
        """Changes where the blocks of an entry are, in the record before it."""
        self.record(Fields(bytes(out[at:])))
        for i, block in enumerate(self.blocks):
            struct.pack_into("<QQ", out, at + 52 + 16 * i, *(n + by for n in block))

    def read_regions(self, data, f):
        count, self.seed, _, at, size = struct.unpack("<IQIQQ", f.bytes(32))
        f.bytes(20)
        _, at2, size2 = struct.unpack("<IQQ", f.bytes(20))
        f.bytes(20)
        encoded = f.bytes(struct.unpack("<I", f.bytes(4))[0])
        if struct.unpack("<I", f.bytes(4)) != (0,):
            raise Refused("records beside encoded entries")
        self.footer = data[at2 + size2:]
        self.rows, places = [], {}
        hashes = Fields(data[at:at + size])
        for _ in range(struct.unpack("<I", hashes.bytes(4))[0]):
            hash, place = struct.unpack("<Qi", hashes.bytes(12))
            row = Row(b"", None, None, None) if place == DELETED else self.decode(encoded, place)
            row.bits = 0 if place == DELETED else row.bits
            row.hash = hash
            self.rows.append(row)
            places[place, hash if place == DELETED else 0] = row
        self.pruned = self.folders(hashes, places)
        self.full = self.folders(Fields(data[at2:at2 + size2]), places)
        for folder, files in self.full:
            for name, row in files:
                row.name, row.folder = name, folder
        self.one = next((r.bits for r in self.rows if r.bits >> 6 & 0xFFFF == 1), None)  # the first of one block

    def folders(self, f, places):
        """Folders with their files; names as they are stored."""
        all = []
        for _ in range(struct.unpack("<I", f.bytes(4))[0]):
            folder, files = self.string(f), []
            for _ in range(struct.unpack("<I", f.bytes(4))[0]):
                name = self.file_name(f)
                place, = struct.unpack("<i", f.bytes(4))
                key = self.path_hash(plain(folder).lstrip("/") + plain(name)) if place == DELETED else 0
                files.append((name, places[place, key]))
            all.append((folder, files))
        return all

    def file_name(self, f):
        if self.version < 12:
            return self.string(f)
        n, = struct.unpack("<i", f.bytes(4))
        return struct.pack("<i", n) + f.bytes(n)

    def decode(self, encoded, at):
        f = Fields(encoded)
        f.at = at
        bits, = struct.unpack("<I", f.bytes(4))
        block = struct.unpack("<I", f.bytes(4)) if bits & 0x3F == 0x3F else (bits & 0x3F) << 11
        wide = [struct.unpack("<I", f.bytes(4))[0] if bits >> i & 1 else struct.unpack("<Q", f.bytes(8))[0] for i in (31, 30)]
        begin, stored = wide
        method, count = bits >> 23 & 0x3F, bits >> 6 & 0xFFFF
        if method:
            stored, = struct.unpack("<I", f.bytes(4)) if bits >> 29 & 1 else struct.unpack("<Q", f.bytes(8))
        sizes = []
        if count > 1 or count == 1 and bits >> 22 & 1:
            sizes = [struct.unpack("<I", f.bytes(4))[0] for _ in range(count)]
        head = 53 + (4 + 16 * count if method else 0)
        row = Row(b"", None, begin, begin + head + stored)
        row.bits, row.block = bits, block
        return row

    def encode(self, place, stored, first):
        """An encoded entry of what record has just read."""
        count = len(self.blocks)
        bits = self.method << 23 | self.encrypted << 22 | count << 6
        out = b""
        block = self.block
        if count == 0:
            block = 0
        if count == 1 and first is not None:
            block = 0 if first & 0x3F == 0 else None if first & 0x3F == 0x3E else block
        if block is None:
            bits |= 0x3E
        elif block & 0x7FF == 0 and block >> 11 < 0x3F:
            bits |= block >> 11
        else:
            bits |= 0x3F
            out += struct.pack("<I", block)
        for i, n in ((31, place), (30, self.size)) + (((29, stored),) if self.method else ()):
            small = n < 1 << 32
            bits |= small << i
            out += struct.pack("<I" if small else "<Q", n)
        if not self.method:
            bits |= 1 << 29
        if count > 1 or count == 1 and self.encrypted:
            for a, b in self.blocks:
                out += struct.pack("<I", b - a)
        return struct.pack("<I", bits) + out

    def path_hash(self, name):
        h, prime = 0xCBF29CE484222325, 0x100000001B3
        if self.version == 10:
            h, prime = prime, h
        h = h + self.seed & (1 << 64) - 1
        for b in name.lower().encode("utf-16-le"):
            h = (h ^ b) * prime & (1 << 64) - 1
        return h

    def regions(self, m, made, names, text, places, form):
        encoded, hashes, locations, new, rows = b"", struct.pack("<I", len(made)), {}, [], []
        for r in made:
            if isinstance(r, Row):
                place, hash = places[id(r)], r.hash
            else:
                n = names.pop(0)
                name, place, text = text[:n].decode(), r, text[n:]
                hash = self.path_hash(name)
                folder, _, base = name.rpartition("/")
                base = text_of(base) if self.version < 12 else struct.pack("<i", len(base.encode())) + base.encode()
                r = Row(base, None, place, None)
                r.folder = text_of(folder + "/")
                new.append(r)
            rows.append(r)
            if place is None:
                locations[id(r)] = DELETED
                hashes += struct.pack("<Qi", hash, DELETED)
                continue
            locations[id(r)] = len(encoded)
            _, stored = self.record(Fields(bytes(m.out[place:])))
            encoded += self.encode(place, stored, self.one)
            hashes += struct.pack("<Qi", hash, locations[id(r)])
        old = [r for r in made if isinstance(r, Row)]
        if form != 1:
            folders = by_rows(rows)
        else:
            folders = kept(self.full, old)
            for r in new:
                files = next((x for f, x in folders if f == r.folder), None)
                if files is None:
                    files = []
                    folders.append((r.folder, files))
                files.append((r.name, r))
        pruned = kept(self.pruned, old)

        def region(folders):
            p = struct.pack("<I", len(folders))
            for f, files in folders:
                p += f + struct.pack("<I", len(files)) + b"".join(n + struct.pack("<i", locations[id(r)]) for n, r in files)
            return p

        one, two = hashes + region(pruned), region(folders)
        size = len(self.mount) + 16 + 2 * 36 + 4 + 4 + len(encoded) + 4
        at = len(m.out) + len(self.stays) + size
        index = self.mount + struct.pack("<IQ", len(made), self.seed)
        index += struct.pack("<IQQ", 1, at, len(one)) + hashlib.sha1(one).digest()
        index += struct.pack("<IQQ", 1, at + len(one), len(two)) + hashlib.sha1(two).digest()
        index += struct.pack("<I", len(encoded)) + encoded + struct.pack("<I", 0)
        return index, one + two

    def predict(self, m):
        s = m.s
        how = s.number(21)
        order, form = how % 3, how // 3 % 2
        if how >= 6:  # of others as well, and this is needed as it is
            self = Pak(*self.read)
            for _ in range(how // 12):
                self.join(m.tables())
            if how // 6 % 2:
                self.seed = s.number(21)
                self.hash_again(self.rows)
        places = {id(r): None if r.begin is None else m.went(r.entries, r.begin) for r in self.rows}
        rows = list(self.rows)
        if order:
            rows = [r for r in rows if places[id(r)] is not None or r.begin is None]
        if order == 2:
            rows.sort(key=lambda r: (r.begin is None, places[id(r)] or 0))
        queue, made, names, end = Queue(rows), [], [], 0
        for _ in range(s.number(21)):
            run = s.number(23)
            if run:
                for r in queue.take(s.signed(22), run, True):
                    made.append(r)
                    if places[id(r)] is not None:
                        end = places[id(r)] + r.end - r.begin
            for _ in range(s.number(24)):
                names.append(s.number(25))
                made.append(end + s.signed(26))
        text = b""
        if names:
            guess = m.cursor + s.signed(5)
            text, m.cursor = s.content(sum(names), m.source, guess)
        if self.version > 9:
            index, more = self.regions(m, made, names, text, places, form)
            return self.stays + index + more + self.ends(len(m.out) + len(self.stays), index)
        index = self.mount + struct.pack("<I", len(made))
        for r in made:
            if isinstance(r, Row):
                name, place, record = r.name, places[id(r)], r.record
            else:
                n = names.pop(0)
                name, place, text = text[:n], r, text[n:]
                name = text_of(name.decode())
            if place is not None:
                f = Fields(bytes(m.out[place:]))
                self.record(f)
                record = struct.pack("<Q", place) + f.data[8:f.at]
            index += name + record
        return self.stays + index + self.ends(len(m.out) + len(self.stays), index)

    def ends(self, at, index):
        footer = bytearray(self.footer)
        struct.pack_into("<QQ20s", footer, self.magic + 8, at, len(index), hashlib.sha1(index).digest())
        return bytes(footer)


def text_of(name):
    """A string as the engine stores it."""
    if name.isascii():
        return struct.pack("<i", len(name) + 1) + name.encode() + b"\0"
    b = name.encode("utf-16-le") + b"\0\0"
    return struct.pack("<i", -(len(b) // 2)) + b


def plain(name):
    """The text of what text_of has made."""
    n, = struct.unpack_from("<i", name)
    return name[4:].decode().rstrip("\0") if n >= 0 else name[4:-2].decode("utf-16-le")


def kept(folders, rows):
    """Old folders with what old rows still have, each name once, by the last row of that name."""
    now = {(r.folder, r.name): r for r in rows}
    list = {}
    for folder, files in folders:
        stay = [(name, now.pop((folder, name))) for name, _ in files if (folder, name) in now]
        if stay or not files:
            list.setdefault(folder, []).extend(stay)
    return [(f, files) for f, files in list.items()]


def by_rows(rows):
    """Folders in the order in which rows lead to them."""
    folders = {}
    for r in rows:
        if r.folder not in folders:
            above = plain(r.folder).rstrip("/")
            while above:
                above = above.rpartition("/")[0]
                folders.setdefault(text_of(above + "/"), [])
            folders[r.folder] = []
        folders[r.folder].append((r.name, r))
    return list(folders.items())


def files(paths):
    for path in paths:
        if os.path.isdir(path):
            for folder, _, names in os.walk(path):
                yield from (os.path.join(folder, n) for n in names)
        else:
            yield path


def apply(patch, paths):
    have, bits = {}, patch.bits
    sizes = {size for _, size in patch.old}
    for path in sorted(files(paths), reverse=True):
        if os.path.getsize(path) in sizes:
            with open(path, "rb") as f:
                data = f.read()
            sum = int.from_bytes(first(data), "big") >> 128 - bits
            have[len(data), sum] = data
            for i in range(len(path)):  # one of that name counts
                if path[i - 1] == "/":
                    have[len(data), sum, path[i:]] = data
    old = []
    for (name, size), sum in zip(patch.old, patch.old_sums):
        data = have.get((size, sum, name), have.get((size, sum)))
        if data is None:
            raise Refused("the old file %s is not there" % name)
        old.append(data)
    if all_sums([first(p) for p in old])[:8] != patch.old_sum:
        raise Refused("an old file is another")
    m = Machine(patch, old)
    for file, data, sum in patch.segments:
        if sum and first(data) != sum:
            raise Refused("a segment is not what its hash says")
        while m.file < file:
            m.next()
        m.run(data)
    while m.file < len(patch.new):
        m.next()
    if all_sums([first(p) for p in m.done]) != patch.new_sum:
        raise Refused("a new file would be another")
    return m.done


def main(args):
    if "-o" not in args[1:-1]:
        sys.exit(__doc__)
    at = args.index("-o")
    out, args = args[at + 1], args[:at] + args[at + 2:]
    with open(args[0], "rb") as f:
        patch = Patch(f.read())
    made = apply(patch, args[1:])
    for name, size, sum in patch.removed:
        path = os.path.join(out, *name.split("/"))
        if is_safe(name) and not os.path.islink(path) and os.path.isfile(path) and os.path.getsize(path) == size:
            with open(path, "rb") as f:
                if first(f.read()) == sum:
                    os.remove(path)
    for (name, _, _, _, executable), data in zip(patch.new, made):
        path = os.path.join(out, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
        if patch.modes:
            mode = os.stat(path).st_mode
            os.chmod(path, mode | (mode & 0o444) >> 2 if executable else mode & ~0o111)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Refused as e:
        sys.exit("pkdelta.py: %s" % e)
