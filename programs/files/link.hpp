// What the way to the storage can carry at most, as the kernel rates it: a SATA or USB link, the PCI Express links from
// the device up to the root, or this host's network. What is faster did not come from there, whatever is counted.
//
// No rating is known where a part of the way has none, and in a virtual machine, whose buses are made up.
#pragma once

#include <string>
#include <vector>

namespace assay::files {

struct Link {
  double rate = 0;    // B/s of payload, after the link's own coding; 0: not known
  std::string words;  // "SATA link of 6.0 Gbps"; empty where the rate is not known
};

// Of a block device ("sda", "nvme0n1p2"), or of all that it is made of together (RAID). `system` is "/" but in tests.
Link link_of_device(const std::string& name, const std::string& system = "/");

// Of all network interfaces and InfiniBand ports of this host that are up, together.
Link link_of_network(const std::string& system = "/");

}  // namespace assay::files
