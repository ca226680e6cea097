"""mv and mm of a 3-D Laplacian of N x N x N points through sparse_dot_mkl: mkl_products.py [N]."""
import sys
import time

import numpy
import scipy.sparse
import sparse_dot_mkl

n = int(sys.argv[1]) if len(sys.argv) > 1 else 60
one = scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n), format="csr")
eye = scipy.sparse.identity(n, format="csr")
kron = scipy.sparse.kron
matrix = scipy.sparse.csr_matrix(
    kron(kron(one, eye), eye) + kron(kron(eye, one), eye) + kron(kron(eye, eye), one)
)
x = numpy.ones(n**3)
X = numpy.ones((n**3, 8))
for name, operand, count in (("mv", x, 100), ("mm", X, 30)):
    seconds = []
    for _ in range(count):  # with what Python and sparse_dot_mkl do around the product
        start = time.perf_counter()
        sparse_dot_mkl.dot_product_mkl(matrix, operand)
        seconds.append(time.perf_counter() - start)
    print(name, "seconds %.9f" % sorted(seconds)[count // 2])
