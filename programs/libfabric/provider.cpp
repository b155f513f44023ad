// The libfabric provider "assay": under an unmodified MPICH, messages go to the simulator.
//
// MPICH loads it by FI_PROVIDER_PATH. It gives reliable datagram endpoints with tagged messages and messages into
// buffers for several; what else a table of libfabric has ends the rank by its name. The same library is loaded before
// the program (LD_PRELOAD) for MPI_Wtime, which is simulated.
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "libfabric/addresses.hpp"
#include "libfabric/messages.hpp"
#include "mpi_library/transport/transport.hpp"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"  // filled() gives the rest of a table

namespace assay::fabric {
namespace {

constexpr std::size_t largest_message = std::size_t{1} << 31;

// --- what is not there

template <class Functions, int number>
int missing() {
  abi::end_with("libfabric provider: function %d of a table of %d is not available", number,
                static_cast<int>(sizeof(Functions) / sizeof(void*)) - 1);
}
template <class Functions, int... numbers>
void fill(void** functions, std::integer_sequence<int, numbers...>) {
  void* const all[] = {reinterpret_cast<void*>(missing<Functions, numbers>)...};
  for (std::size_t i = 1; i < sizeof...(numbers); ++i)
    if (!functions[i]) functions[i] = all[i];
}
// A table of libfabric is its size, then functions; those that are not given end the rank.
template <class Functions>
Functions filled(Functions functions) {
  static_assert(sizeof(Functions) % sizeof(void*) == 0 && sizeof(functions.size) == sizeof(void*));
  functions.size = sizeof functions;
  std::array<void*, sizeof(Functions) / sizeof(void*)> words;
  std::memcpy(words.data(), &functions, sizeof functions);
  fill<Functions>(words.data(), std::make_integer_sequence<int, sizeof(Functions) / sizeof(void*)>());
  std::memcpy(static_cast<void*>(&functions), words.data(), sizeof functions);
  return functions;
}

// --- objects

int close_object(fid* object) {
  std::free(object);
  return 0;
}
int bind_object(fid*, fid*, std::uint64_t) { return 0; }
int control_object(fid*, int command, void*) {
  if (command == FI_ENABLE) start_active_messages();
  return 0;
}
int close_endpoint(fid* object) {
  finish();
  return close_object(object);
}
fi_ops* object_functions(bool endpoint) {
  static fi_ops plain = filled(fi_ops{.close = close_object, .bind = bind_object, .control = control_object});
  static fi_ops ending = filled(fi_ops{.close = close_endpoint, .bind = bind_object, .control = control_object});
  return endpoint ? &ending : &plain;
}
template <class Object>
Object* made(std::size_t kind, void* context, bool endpoint = false) {
  void* const room = std::calloc(1, sizeof(Object));
  if (!room) throw std::bad_alloc();
  auto* const object = new (room) Object{};
  object->fid.fclass = kind;
  object->fid.context = context;
  object->fid.ops = object_functions(endpoint);
  return object;
}

// --- messages

ssize_t send_one(const void* data, std::size_t bytes, Sent sent) {
  const iovec part{const_cast<void*>(data), bytes};
  sent.parts = &part;
  sent.count = 1;
  return send(sent);
}

fi_ops_msg* message_functions() {
  static fi_ops_msg functions = filled(fi_ops_msg{
      .recvmsg =
          [](fid_ep*, const fi_msg* message, std::uint64_t) {
            return receive_several(message->msg_iov[0].iov_base, message->msg_iov[0].iov_len, message->context);
          },
      .send = [](fid_ep*, const void* data, std::size_t bytes, void*, fi_addr_t to,
                 void* context) { return send_one(data, bytes, {.to = to, .context = context, .tagged = false}); },
      .sendmsg =
          [](fid_ep*, const fi_msg* message, std::uint64_t flags) {
            return send({message->msg_iov, message->iov_count, message->addr, 0, message->data, message->context, false,
                         (flags & FI_COMPLETION) != 0});
          },
      .inject = [](fid_ep*, const void* data, std::size_t bytes,
                   fi_addr_t to) { return send_one(data, bytes, {.to = to, .tagged = false, .reports = false}); },
      .senddata =
          [](fid_ep*, const void* data, std::size_t bytes, void*, std::uint64_t beside, fi_addr_t to, void* context) {
            return send_one(data, bytes, {.to = to, .data = beside, .context = context, .tagged = false});
          },
      .injectdata =
          [](fid_ep*, const void* data, std::size_t bytes, std::uint64_t beside, fi_addr_t to) {
            return send_one(data, bytes, {.to = to, .data = beside, .tagged = false, .reports = false});
          }});
  return &functions;
}

ssize_t receive_tagged(const fi_msg_tagged* message, std::uint64_t flags) {
  if (flags & FI_PEEK)
    return look(message->addr, message->tag, message->ignore, message->context, (flags & FI_CLAIM) != 0);
  void* const buffer = message->iov_count == 0 ? nullptr : message->msg_iov[0].iov_base;
  const std::size_t room = message->iov_count == 0 ? 0 : message->msg_iov[0].iov_len;
  if (flags & FI_CLAIM) return receive_claimed(buffer, room, message->context);
  return receive(buffer, room, message->addr, message->tag, message->ignore, message->context);
}

fi_ops_tagged* tagged_functions() {
  static fi_ops_tagged functions = filled(fi_ops_tagged{
      .recv = [](fid_ep*, void* buffer, std::size_t room, void*, fi_addr_t from, std::uint64_t tag, std::uint64_t open,
                 void* context) { return receive(buffer, room, from, tag, open, context); },
      .recvmsg = [](fid_ep*, const fi_msg_tagged* message,
                    std::uint64_t flags) { return receive_tagged(message, flags); },
      .send = [](fid_ep*, const void* data, std::size_t bytes, void*, fi_addr_t to, std::uint64_t tag,
                 void* context) { return send_one(data, bytes, {.to = to, .tag = tag, .context = context}); },
      .sendmsg =
          [](fid_ep*, const fi_msg_tagged* message, std::uint64_t flags) {
            return send({message->msg_iov, message->iov_count, message->addr, message->tag, message->data,
                         message->context, true, (flags & FI_COMPLETION) != 0});
          },
      .inject = [](fid_ep*, const void* data, std::size_t bytes, fi_addr_t to,
                   std::uint64_t tag) { return send_one(data, bytes, {.to = to, .tag = tag, .reports = false}); },
      .senddata =
          [](fid_ep*, const void* data, std::size_t bytes, void*, std::uint64_t beside, fi_addr_t to, std::uint64_t tag,
             void* context) {
            return send_one(data, bytes, {.to = to, .tag = tag, .data = beside, .context = context});
          },
      .injectdata =
          [](fid_ep*, const void* data, std::size_t bytes, std::uint64_t beside, fi_addr_t to, std::uint64_t tag) {
            return send_one(data, bytes, {.to = to, .tag = tag, .data = beside, .reports = false});
          }});
  return &functions;
}

fi_ops_cq* queue_functions() {
  static fi_ops_cq functions = filled(fi_ops_cq{
      .read = [](fid_cq*, void* entries,
                 std::size_t count) { return completions(static_cast<fi_cq_tagged_entry*>(entries), count); },
      .readerr = [](fid_cq*, fi_cq_err_entry* entry, std::uint64_t) { return failure(entry); },
      .strerror = [](fid_cq*, int, const void*, char*, std::size_t) -> const char* { return "a message was longer"; }});
  return &functions;
}

fi_ops_cm* name_functions() {
  static fi_ops_cm functions = filled(fi_ops_cm{.getname = [](fid*, void* address, std::size_t* bytes) {
    const std::size_t room = std::exchange(*bytes, address_bytes);
    if (room < address_bytes) return -FI_ETOOSMALL;
    const std::uint64_t own = own_address();
    std::memcpy(address, &own, sizeof own);
    return 0;
  }});
  return &functions;
}

fi_ops_ep* endpoint_functions() {
  static fi_ops_ep functions =
      filled(fi_ops_ep{.cancel = [](fid* object, void* context) -> ssize_t {
                         static_cast<void>(object);
                         return cancel(context) ? 0 : -FI_ENOENT;
                       },
                       .getopt = [](fid*, int, int, void*, std::size_t*) { return -FI_ENOPROTOOPT; },
                       .setopt =
                           [](fid*, int, int option, const void* value, std::size_t) {
                             if (option == FI_OPT_MIN_MULTI_RECV) least_room(*static_cast<const std::size_t*>(value));
                             return 0;
                           }});
  return &functions;
}

fi_ops_av* address_functions() {
  static fi_ops_av functions = filled(fi_ops_av{
      .insert =
          [](fid_av*, const void* addresses, std::size_t count, fi_addr_t* numbers, std::uint64_t, void*) {
            for (std::size_t i = 0; i < count; ++i) {
              std::uint64_t address = 0;
              std::memcpy(&address, static_cast<const std::byte*>(addresses) + address_bytes * i, sizeof address);
              const fi_addr_t number = add_address(address);
              if (numbers) numbers[i] = number;
            }
            return static_cast<int>(count);
          },
      .remove = [](fid_av*, fi_addr_t*, std::size_t, std::uint64_t) { return 0; },
      .lookup =
          [](fid_av*, fi_addr_t number, void* address, std::size_t* bytes) {
            const std::uint64_t found = address_at(number);
            std::memcpy(address, &found, std::min(*bytes, sizeof found));
            *bytes = address_bytes;
            return 0;
          }});
  return &functions;
}

// --- domain and fabric

fi_ops_domain* domain_functions() {
  static fi_ops_domain functions =
      filled(fi_ops_domain{.av_open =
                               [](fid_domain*, fi_av_attr*, fid_av** found, void* context) {
                                 *found = made<fid_av>(FI_CLASS_AV, context);
                                 (*found)->ops = address_functions();
                                 return 0;
                               },
                           .cq_open =
                               [](fid_domain*, fi_cq_attr* wanted, fid_cq** found, void* context) {
                                 if (wanted && wanted->format != FI_CQ_FORMAT_TAGGED) return -FI_ENOSYS;
                                 *found = made<fid_cq>(FI_CLASS_CQ, context);
                                 (*found)->ops = queue_functions();
                                 return 0;
                               },
                           .endpoint =
                               [](fid_domain*, fi_info*, fid_ep** found, void* context) {
                                 static fi_ops_rma rma = filled(fi_ops_rma{});
                                 static fi_ops_atomic atomic = filled(fi_ops_atomic{});
                                 *found = made<fid_ep>(FI_CLASS_EP, context, true);
                                 (*found)->ops = endpoint_functions();
                                 (*found)->cm = name_functions();
                                 (*found)->msg = message_functions();
                                 (*found)->tagged = tagged_functions();
                                 (*found)->rma = &rma;
                                 (*found)->atomic = &atomic;
                                 return 0;
                               },
                           .cntr_open =
                               [](fid_domain*, fi_cntr_attr*, fid_cntr** found, void* context) {
                                 static fi_ops_cntr counter =
                                     filled(fi_ops_cntr{.read = [](fid_cntr*) -> std::uint64_t { return 0; }});
                                 *found = made<fid_cntr>(FI_CLASS_CNTR, context);
                                 (*found)->ops = &counter;
                                 return 0;
                               }});
  return &functions;
}

int open_domain(fid_fabric*, fi_info*, fid_domain** found, void* context) {
  static fi_ops_mr memory = filled(fi_ops_mr{.reg = [](fid*, const void*, std::size_t, std::uint64_t, std::uint64_t,
                                                       std::uint64_t key, std::uint64_t, fid_mr** region, void* about) {
    *region = made<fid_mr>(FI_CLASS_MR, about);
    (*region)->key = key;
    return 0;
  }});
  *found = made<fid_domain>(FI_CLASS_DOMAIN, context);
  (*found)->ops = domain_functions();
  (*found)->mr = &memory;
  return 0;
}

int open_fabric(fi_fabric_attr*, fid_fabric** found, void* context) {
  static fi_ops_fabric functions = filled(fi_ops_fabric{.domain = open_domain});
  *found = made<fid_fabric>(FI_CLASS_FABRIC, context);
  (*found)->ops = &functions;
  (*found)->api_version = version;
  return 0;
}

void describe(fi_info& info, const fi_info* hints) {
  info.caps =
      FI_MSG | FI_TAGGED | FI_SEND | FI_RECV | FI_MULTI_RECV | FI_DIRECTED_RECV | FI_LOCAL_COMM | FI_REMOTE_COMM;
  info.addr_format = FI_ADDR_STR;
  info.src_addr = std::calloc(1, address_bytes);
  info.src_addrlen = address_bytes;
  fi_ep_attr& endpoint = *info.ep_attr;
  endpoint.type = FI_EP_RDM;
  endpoint.protocol = FI_PROTO_UNSPEC;
  endpoint.max_msg_size = largest_message;
  endpoint.mem_tag_format = ~std::uint64_t{0};
  endpoint.tx_ctx_cnt = endpoint.rx_ctx_cnt = 1;
  info.tx_attr->caps = FI_MSG | FI_TAGGED | FI_SEND;
  info.rx_attr->caps = FI_MSG | FI_TAGGED | FI_RECV | FI_MULTI_RECV | FI_DIRECTED_RECV;
  info.tx_attr->op_flags = info.rx_attr->op_flags = FI_COMPLETION;
  info.tx_attr->msg_order = info.rx_attr->msg_order = FI_ORDER_SAS;
  info.tx_attr->size = info.rx_attr->size = 1024;
  info.tx_attr->iov_limit = info.rx_attr->iov_limit = 1;
  info.tx_attr->inject_size = 0;
  fi_domain_attr& domain = *info.domain_attr;
  const fi_domain_attr* const wanted = hints ? hints->domain_attr : nullptr;
  domain.name = strdup("assay");
  domain.threading = wanted && wanted->threading ? wanted->threading : FI_THREAD_DOMAIN;
  domain.control_progress = wanted && wanted->control_progress ? wanted->control_progress : FI_PROGRESS_AUTO;
  domain.data_progress = wanted && wanted->data_progress ? wanted->data_progress : FI_PROGRESS_AUTO;
  domain.resource_mgmt = FI_RM_ENABLED;
  domain.av_type = FI_AV_TABLE;
  domain.cq_data_size = sizeof(std::uint64_t);
  domain.max_ep_tx_ctx = domain.max_ep_rx_ctx = 1;
  domain.ep_cnt = domain.cq_cnt = domain.tx_ctx_cnt = domain.rx_ctx_cnt = domain.cntr_cnt = 64;
  domain.mr_key_size = 8;
  domain.mr_cnt = 1000;
  info.fabric_attr->name = strdup("assay");
  info.fabric_attr->prov_name = strdup("assay");
  info.fabric_attr->prov_version = FI_VERSION(1, 0);
  info.fabric_attr->api_version = version;
}

int get_info(std::uint32_t, const char*, const char*, std::uint64_t, const fi_info* hints, fi_info** found) {
  const bool other =
      hints && hints->ep_attr && hints->ep_attr->type != FI_EP_UNSPEC && hints->ep_attr->type != FI_EP_RDM;
  if (other || !attach()) return -FI_ENODATA;
  fi_info* const info = fi_allocinfo();
  if (!info) return -FI_ENOMEM;
  describe(*info, hints);
  *found = info;
  return 0;
}

}  // namespace
}  // namespace assay::fabric

extern "C" {

[[gnu::visibility("default")]] fi_provider* fi_prov_ini() {
  static fi_provider provider{.version = FI_VERSION(1, 0),
                              .fi_version = assay::fabric::version,
                              .context = {},
                              .name = "assay",
                              .getinfo = assay::fabric::get_info,
                              .fabric = assay::fabric::open_fabric,
                              .cleanup = [] {}};
  return &provider;
}

[[gnu::visibility("default")]] double MPI_Wtime() { return assay::abi::process.header ? assay::fabric::clock() : 0; }
[[gnu::visibility("default")]] double MPI_Wtick() { return 1e-12; }
}
