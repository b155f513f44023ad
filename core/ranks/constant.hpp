// The smallest described machine: a message of n bytes takes startup + n * per_byte, between any two ranks.
// There is no network and no contention, but a processor sends one message at a time: it carries out the whole transfer
// itself, as those of store-and-forward machines did, so that messages leave, and arrive, in the order of the calls.
#pragma once

#include "ranks/machine_parameters.hpp"
#include "ranks/world.hpp"

namespace assay::described {

class Constant final : public MessageModel {
 public:
  explicit Constant(const MachineParameters& machine) : Constant(machine.startup, machine.per_byte, machine.nodes) {}
  // Seconds, seconds per byte, and how many nodes there are (0: any number).
  Constant(double startup, double per_byte, int nodes) : startup_(startup), per_byte_(per_byte), nodes_(nodes) {}
  int nodes() const override { return nodes_; }
  Time barrier(int) const override { return -1; }  // it says nothing of one: made of messages
  void send(World& world, MessageId id, const Message& message) override {
    const Time done = world.after(startup_ + per_byte_ * static_cast<double>(message.bytes));
    world.call_returns(id, done);
    world.buffer_free(id, done);
    world.arrives(id, done);
  }

 private:
  double startup_, per_byte_;
  int nodes_;
};

}  // namespace assay::described
