// libfabric's own headers, of the version that this provider is for (rdma/, under the BSD licence in rdma/COPYING).
#pragma once

#include <rdma/fabric.h>
//
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <rdma/providers/fi_prov.h>

namespace assay::fabric {
inline constexpr std::uint32_t version = FI_VERSION(2, 5);
}
