"""A matrix and a kernel of one's own: pip install ./python numpy scipy, then python3 own_matrix.py"""
import scipy.sparse
import spmodel

side = 300
one = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(side, side))
laplacian = scipy.sparse.kronsum(one, one, format="csr")


def mine(A, x, y):
    y[:] = A @ x


print(spmodel.analyze(laplacian, name="laplacian", kernel=mine, threads=1))
