// Eigen: compressed sparse rows, its own OpenMP loop over rows.
#include "peer.h"

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace
{
using Matrix = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int32_t>>;
using ConstVector = Eigen::Map<const Eigen::VectorXd, Eigen::Aligned64>;
using Vector = Eigen::Map<Eigen::VectorXd, Eigen::Aligned64>;

struct State {
    Matrix a;
    ConstVector x;
    Vector y;
};

void *open(const peer_matrix *m, int n_threads)
{
    Eigen::setNbThreads(n_threads);
    return new State{Matrix(m->n_r, m->n_c, m->n_nz, m->row_ptr, m->col, m->val), ConstVector(m->x, m->n_c),
                     Vector(m->y, m->n_r)};
}

void run(void *state)
{
    State *s = static_cast<State *>(state);
    s->y.noalias() = s->a * s->x;
}

void close(void *state)
{
    delete static_cast<State *>(state);
}
} // namespace

extern "C" const peer peer_eigen = {"Eigen", nullptr, open, run, close};
