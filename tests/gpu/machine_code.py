"""Reads the machine code of GPU kernels, compute capability 8.0 to 10.0, as nvcc leaves it in .cubin files:
what decides how many loads are on their way. No disassembler is needed: an instruction has 128 bits, of which
few matter here.

    bits 0 .. 11   operation          12 .. 15    predicate
    16 .. 23       register written   73 .. 75    width of an access
    110 .. 112     scoreboard that a load counts up until its data are there; 7: none
    116 .. 121     scoreboards that must be down to zero before the instruction is issued

So a load waits for another one, or does not, is written in the code, and a walk along a path in which a load
takes one latency and all else nothing says how many latencies a turn of a loop takes.
"""
import re
import struct

INSTRUCTION_B = 16
LOAD, COPY, STORE, LOCAL_LOAD, LOCAL_STORE = "load", "copy", "store", "local load", "local store"
OPERATIONS = {0x980: LOAD, 0x981: LOAD, 0xfae: COPY, 0x386: STORE, 0x385: STORE, 0x986: STORE, 0x985: STORE,
              0x983: LOCAL_LOAD, 0x387: LOCAL_STORE, 0x987: LOCAL_STORE}
BRANCH, BRANCH_OF_ALL, EXIT, END_OF_COPIES, WAIT_FOR_COUNT = 0x947, 0x547, 0x94d, 0x9af, 0x91a
ENDS = {EXIT, 0x950}  # RET
WIDTHS = [1, 1, 2, 2, 4, 8, 16, 16]
COPY_B = 16  # of copies past the L1, which the bodies have alone
ALWAYS = 7
REGISTERS, FRAME = 0x2f, 0x11  # of .nv.info: registers of a thread, bytes of its stack


class Instruction:
    """One, as far as it matters. `at`: its address; `target`: that of a branch."""

    def __init__(self, at, low, high, split_offset):
        both = high << 64 | low
        self.at, self.both = at, both
        self.operation = both & 0xfff
        self.predicate = both >> 12 & 0xf
        self.kind = OPERATIONS.get(self.operation)
        self.width = COPY_B if self.kind == COPY else WIDTHS[both >> 73 & 7] if self.kind else 0
        self.counts_up = both >> 110 & 7
        self.waits_for = both >> 116 & 0x3f
        self.always = self.predicate == ALWAYS and self.operation != BRANCH_OF_ALL
        self.target = None
        if self.operation in (BRANCH, BRANCH_OF_ALL):
            words, bits = both >> 34 & ((1 << 48) - 1), 48
            if split_offset:
                words, bits = words << 8 | both >> 16 & 0xff, 56
            if words >> (bits - 1) & 1:
                words -= 1 << bits
            self.target = at + INSTRUCTION_B + words * 4

    def ends(self):
        return self.operation in ENDS and self.always


class Kernel:
    """The code of one kernel: name as templates write it, registers, instructions in order."""

    def __init__(self, symbol, text, capability):
        self.symbol, self.capability = symbol, capability
        self.body, self.of = body_of(symbol)
        self.registers = self.frame_B = 0
        words = struct.unpack("<%dQ" % (len(text) // 8), text)
        self.code = [Instruction(i * 8, words[i], words[i + 1], capability >= 90) for i in range(0, len(words) - 1, 2)]

    def spills(self):
        return sum(i.kind in (LOCAL_LOAD, LOCAL_STORE) for i in self.code)


def body_of(symbol):
    """("crs_rows", ["double", "int", "8"]) of the mangled name of grid_body<gpu::crs_rows<...>, ...>."""
    found = re.search(r"N3gpu(\d+)", symbol)
    if not found:
        return symbol, []
    at = found.end()
    name = symbol[at:at + int(found.group(1))]
    return name, arguments(symbol[at + len(name):])


def arguments(text):
    """The arguments that follow the I of a mangled template's name, up to its E."""
    simple = {"d": "double", "f": "float", "i": "int", "l": "long", "t": "short", "h": "byte"}
    out, at = [], 1
    if not text.startswith("I"):
        return out
    while at < len(text) and text[at] != "E":
        named = re.match(r"N(?:S\d*_|3gpu)(\d+)", text[at:])
        value = re.match(r"L(\w)(n?\d+)E", text[at:])
        if value:
            out.append(value.group(2))
            at += value.end()
        elif named:
            begin = at + named.end()
            word = text[begin:begin + int(named.group(1))]
            at = begin + len(word)
            inner = []
            if text[at] == "I":
                depth = at
                inner = arguments(text[at:])
                at = end_of_arguments(text, depth)
            out.append(word + ("<%s>" % ",".join(inner) if inner else ""))
            at += text[at] == "E"
        elif re.match(r"S\d*_", text[at:]):
            at += re.match(r"S\d*_", text[at:]).end()
            out.append("same")
        else:
            out.append(simple.get(text[at], text[at]))
            at += 1
    return out


def end_of_arguments(text, at):
    """Behind the E that closes the I at `at`."""
    at += 1
    while text[at] != "E":
        value = re.match(r"L\wn?\d+E", text[at:])
        named = re.match(r"N(?:S\d*_|3gpu)(\d+)", text[at:])
        same = re.match(r"S\d*_", text[at:])
        if value:
            at += value.end()
        elif named:
            at += named.end() + int(named.group(1))
            if text[at] == "I":
                at = end_of_arguments(text, at)
            at += 1
        else:
            at += same.end() if same else 1
    return at + 1


def kernels_of(path):
    """The kernels of a .cubin file, an ELF of 64 bits."""
    with open(path, "rb") as f:
        elf = f.read()
    if elf[:5] != b"\x7fELF\x02":
        raise ValueError("%s is no ELF of 64 bits" % path)
    flags, = struct.unpack_from("<I", elf, 48)
    capability = flags >> 8 & 0xff or flags & 0xff
    table, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, table + i * size) for i in range(count)]

    def text(of, at):
        begin = of[4] + at
        return elf[begin:elf.index(b"\0", begin)].decode()

    def bytes_of(s):
        return elf[s[4]:s[4] + s[5]]

    by_name = {text(sections[names], s[0]): s for s in sections}
    kernels = {name[6:]: Kernel(name[6:], bytes_of(s), capability)
               for name, s in by_name.items() if name.startswith(".text.")}
    symbols, strings = by_name[".symtab"], by_name[".strtab"]
    facts = bytes_of(by_name.get(".nv.info", symbols)) if ".nv.info" in by_name else b""
    at = 0
    while at + 4 <= len(facts):
        form, attribute, length = struct.unpack_from("<BBH", facts, at)
        at += 4
        if form != 4:
            continue
        if attribute in (REGISTERS, FRAME) and length >= 8:
            symbol, value = struct.unpack_from("<II", facts, at)
            name = text(strings, struct.unpack_from("<I", elf, symbols[4] + symbol * 24)[0])
            if name in kernels:
                setattr(kernels[name], "registers" if attribute == REGISTERS else "frame_B", value)
        at += length
    return list(kernels.values())


def blocks_of(code):
    """Blocks of instructions without a branch inside: {first address: (instructions, addresses behind)}."""
    begins = {0}
    for i in code:
        if i.target is not None:
            begins.update((i.target, i.at + INSTRUCTION_B))
        elif i.operation in ENDS:
            begins.add(i.at + INSTRUCTION_B)
    blocks, now = {}, None
    for i in code:
        if i.at in begins or now is None:
            now = []
            blocks[i.at] = (now, [])
        now.append(i)
    addresses = sorted(blocks)
    for n, at in enumerate(addresses):
        inside, behind = blocks[at]
        last = inside[-1]
        if last.target is not None:
            behind.append(last.target)
        falls = not (last.ends() or (last.target is not None and last.always))
        if falls and n + 1 < len(addresses):
            behind.append(addresses[n + 1])
    return blocks


def loops_of(blocks):
    """[(first block, blocks of the loop)] of all jumps back to a block that dominates the jump."""
    before = {at: [] for at in blocks}
    for at, (_, behind) in blocks.items():
        for b in behind:
            before[b].append(at)
    order, seen, stack = [], set(), [(0, iter(blocks[0][1]))]
    seen.add(0)
    while stack:
        at, rest = stack[-1]
        for b in rest:
            if b not in seen:
                seen.add(b)
                stack.append((b, iter(blocks[b][1])))
                break
        else:
            order.append(at)
            stack.pop()
    order.reverse()
    dominators = {at: set(order) for at in order}
    dominators[0] = {0}
    changed = True
    while changed:
        changed = False
        for at in order[1:]:
            now = set.intersection(*(dominators[b] for b in before[at] if b in dominators)) | {at}
            if now != dominators[at]:
                dominators[at], changed = now, True
    loops = {}
    for at in order:
        for head in blocks[at][1]:
            if head in dominators[at]:
                inside, todo = loops.setdefault(head, {head}), [at]
                while todo:
                    b = todo.pop()
                    if b not in inside:
                        inside.add(b)
                        todo.extend(x for x in before[b] if x in dominators)
    return sorted(loops.items())


def asks(instruction):
    return instruction.kind in (LOAD, COPY)


def busiest_path(blocks, head, inside):
    """The instructions of the turn of a loop that loads most: no jump back is taken but the last."""
    best, on_path = {}, set()

    def most(at):
        if at in best:
            return best[at]
        on_path.add(at)
        here, behind = blocks[at]
        value, rest, closes = 0, [], False
        for b in behind:
            if b == head:
                closes = True
            elif b in inside and b not in on_path:
                other = most(b)
                if other is not None and (other[0] > value or not rest and not closes):
                    value, rest = other
                    closes = True
        on_path.discard(at)
        best[at] = (value + sum(asks(i) for i in here), here + rest) if closes else None
        return best[at]

    found = most(head)
    return found[1] if found else []


class Walk:
    """A warp goes along instructions: a load takes one latency, all else no time."""

    def __init__(self):
        self.now = 0.0
        self.ready = [0.0] * 6   # when the loads that count a scoreboard up are there
        self.under_way = []      # (when there, bytes) of loads
        self.copies, self.groups = [], []
        self.most, self.most_B, self.n, self.bytes = 0, 0, 0, 0

    def step(self, i):
        for s in range(6):
            if i.waits_for >> s & 1:
                self.now = max(self.now, self.ready[s])
        if i.operation == WAIT_FOR_COUNT:
            allowed = i.both >> 38 & 0x3f
            while len(self.groups) > allowed:
                self.now = max(self.now, self.groups.pop(0))
        if i.operation == END_OF_COPIES:
            self.groups.append(max(self.copies, default=self.now))
            self.copies = []
        if not asks(i):
            return
        there = self.now + 1
        if i.kind == COPY:
            self.copies.append(there)
        elif i.counts_up < 6:
            self.ready[i.counts_up] = max(self.ready[i.counts_up], there)
        self.under_way = [u for u in self.under_way if u[0] > self.now] + [(there, i.width)]
        self.n += 1
        self.bytes += i.width
        self.most = max(self.most, len(self.under_way))
        self.most_B = max(self.most_B, sum(u[1] for u in self.under_way))


class Loop:
    """What a loop asks for in a turn.

    loads, bytes  of one thread; widest, narrowest load [B]
    latencies     that a turn takes when loads take one and all else nothing
    together      loads that are on their way at the same time, at most
    """
    TURNS = 8

    def __init__(self, path):
        self.path = path
        walk = Walk()
        for turn in range(2 * self.TURNS):
            if turn == self.TURNS:
                begin = walk.now, walk.n, walk.bytes
            for i in path:
                walk.step(i)
        self.latencies = (walk.now - begin[0]) / self.TURNS
        self.loads = (walk.n - begin[1]) / self.TURNS
        self.bytes = (walk.bytes - begin[2]) / self.TURNS
        self.together = walk.most
        self.widths = [i.width for i in path if asks(i)]

    def in_flight_B(self):
        """Of one thread, on average over a turn."""
        return self.bytes / self.latencies if self.latencies else 0.0


def loops(kernel):
    """[(depth, Loop)] of all loops that load something; depth 0: no loop inside loads anything."""
    blocks = blocks_of(kernel.code)
    found = []
    for head, inside in loops_of(blocks):
        path = busiest_path(blocks, head, inside)
        if any(asks(i) for i in path):
            found.append((head, inside, Loop(path)))
    out = []
    for head, inside, loop in found:
        depth = len([1 for h, other, _ in found if h != head and other < inside])
        out.append((depth, loop))
    return out


def main_loop(kernel, depth=0):
    """That loads most of those with so many loops inside, else None."""
    of_depth = [loop for d, loop in loops(kernel) if d == depth]
    return max(of_depth, key=lambda loop: (loop.loads, -len(loop.path)), default=None)
