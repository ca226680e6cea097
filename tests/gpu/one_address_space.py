"""Takes the generic address space, which oclgrind does not know, out of LLVM's text of a program with typed pointers: a generic
pointer is one to global memory, unless it was cast from a private one.
Usage: one_address_space.py < FROM > TO"""
import re
import sys

PRIVATE = re.compile(r"(%\w+) = addrspacecast ([^\n]*?)(?<!\))\* (%\w+) to ([^\n]*?) addrspace\(1\)\*")

text = sys.stdin.read().replace("addrspace(4)", "addrspace(1)").replace(".p4i8", ".p1i8")
for function in re.split(r"(?m)^(?=define )", text):
    for name, kind, source, _ in PRIVATE.findall(function):
        function = function.replace(f"{name} = addrspacecast {kind}* {source} to {kind} addrspace(1)*",
                                    f"{name} = bitcast {kind}* {source} to {kind}*")
        function = re.sub(rf" addrspace\(1\)\* {name}\b(?! =)", f"* {name}", function)
    sys.stdout.write(re.sub(r"addrspacecast ([^\n]*?) addrspace\(1\)\* (%\w+) to", r"bitcast \1 addrspace(1)* \2 to", function))
