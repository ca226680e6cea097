// Eigen: compressed sparse rows, its own OpenMP loop over rows.
#include "peer.h"

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace
{
struct Product {
    virtual void run() = 0;
    virtual ~Product() = default;
};

template <typename Value, typename Dense> struct ProductOf final : Product {
    Eigen::Map<const Eigen::SparseMatrix<Value, Eigen::RowMajor, int32_t>> a;
    Eigen::Map<const Dense, Eigen::Aligned64> x;
    Eigen::Map<Dense, Eigen::Aligned64> y;

    explicit ProductOf(const peer_matrix *m)
        : a(m->n_r, m->n_c, m->n_nz, m->row_ptr, m->col, static_cast<const Value *>(m->val)),
          x(static_cast<const Value *>(m->x), m->n_c, m->r), y(static_cast<Value *>(m->y), m->n_r, m->r)
    {
    }
    void run() override
    {
        y.noalias() = a * x;
    }
};

template <typename Value> Product *product(const peer_matrix *m)
{
    using Vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;
    using Block = Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    if (m->r == 1)
        return new ProductOf<Value, Vector>(m);
    return new ProductOf<Value, Block>(m);
}

void *open(const peer_matrix *m, int n_threads)
{
    Eigen::setNbThreads(n_threads);
    return m->single_precision ? product<float>(m) : product<double>(m);
}

void run(void *state)
{
    static_cast<Product *>(state)->run();
}

void close(void *state)
{
    delete static_cast<Product *>(state);
}
} // namespace

extern "C" const peer peer_eigen = {"Eigen", nullptr, open, run, close};
