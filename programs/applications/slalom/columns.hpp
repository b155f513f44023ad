// The measured loops of the solver, compiled apart. A panel is `width` columns of each band's matrix, from the row of
// its first column down to the right side, which is the last row: panel[(band * width + column) * rows + row].
#pragma once

#include <cstddef>

namespace assay::applications::slalom {

// Factorises a panel that all before it have been subtracted from.
void factorise(double* panel, std::size_t width, std::size_t rows);

// Subtracts from a panel what an earlier one contributes; its rows are the last `rows` of the earlier one's.
void subtract(double* panel, std::size_t width, std::size_t rows, const double* earlier, std::size_t earlier_width,
              std::size_t earlier_rows);

// The solution of a panel's columns, found[band * width + column]; `below`: that of the rows below the panel's own,
// below[band * stride + row]. The last row is the right side.
void substitute(const double* panel, std::size_t width, std::size_t rows, const double* below, std::size_t stride,
                double* found);

}  // namespace assay::applications::slalom
