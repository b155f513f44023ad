#!/bin/sh
# Sent to each node by `assay doctor --via`: prints the small files of /proc and /sys that say what the node is, each
# behind a line "=file PATH", links behind "=link PATH", and what commands say behind "=answer NAME". Reads, runs
# compilers and MPI with --version, writes nothing.
small() {
  for f in "$@"; do
    if [ ! -f "$f" ] || [ ! -r "$f" ]; then continue; fi
    words=
    { IFS= read -r words <"$f"; } 2>/dev/null
    printf '=file %s\n%s\n' "$f" "$words"
  done
}
whole() {
  for f in "$@"; do
    [ -f "$f" ] && [ -r "$f" ] && printf '\n=file %s\n' "$f" && head -c 65536 "$f" 2>/dev/null
  done
  echo
}
whole /proc/cpuinfo /proc/meminfo /proc/self/cgroup /proc/self/mountinfo /etc/os-release
small /proc/sys/kernel/osrelease /proc/sys/kernel/hostname /proc/sys/kernel/random/boot_id
small /sys/devices/system/cpu/online /sys/devices/system/cpu/cpu[0-9]*/topology/core_cpus_list
small /sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list
small /sys/devices/system/cpu/cpu[0-9]*/topology/package_cpus_list
small /sys/devices/system/cpu/cpu[0-9]*/topology/core_siblings_list
small /sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings /sys/devices/system/cpu/cpu[0-9]*/topology/core_siblings
small /sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id
small /sys/devices/system/cpu/cpu[0-9]*/cpufreq/cpuinfo_max_freq /sys/devices/system/cpu/cpu0/cpufreq/base_frequency
small /sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor
small /sys/devices/system/clocksource/clocksource0/current_clocksource
for name in sys_vendor product_name bios_vendor bios_version bios_date; do small "/sys/class/dmi/id/$name"; done
small /sys/class/net/*/speed /sys/class/net/*/operstate /sys/class/net/*/mtu
small /sys/class/infiniband/*/ports/*/link_layer /sys/class/infiniband/*/ports/*/rate
small /sys/class/infiniband/*/ports/*/state /sys/class/infiniband/*/fw_ver /sys/class/cxi/*/uevent
for f in /sys/class/net/*/device /sys/class/net/*/device/driver; do
  [ -e "$f" ] && printf '=link %s\n%s\n' "$f" "$(readlink -f "$f")"
done
while IFS=: read -r _ controllers group; do
  group=${group%/}
  while :; do # a limit of any group above binds, too
    case ",$controllers," in
      ,,) small "/sys/fs/cgroup$group/cpu.max" "/sys/fs/cgroup/unified$group/cpu.max" ;;
      *,cpu,*)
        for at in cpu cpu,cpuacct; do
          small "/sys/fs/cgroup/$at$group/cpu.cfs_quota_us" "/sys/fs/cgroup/$at$group/cpu.cfs_period_us"
        done
        ;;
    esac
    [ -n "$group" ] || break
    group=${group%/*}
  done
done </proc/self/cgroup
for name in g++ clang++ icpx nvc++ gfortran mpiexec srun qsub bsub; do
  command -v "$name" >/dev/null 2>&1 || continue
  printf '=answer %s\n' "$name"
  "$name" --version 2>/dev/null </dev/null | head -n 4
done
if command -v mpicxx >/dev/null 2>&1; then
  printf '=answer mpicxx\n'
  mpicxx -show 2>/dev/null </dev/null | head -n 1
fi
for name in gmond node_exporter telegraf collectd pmcd ipmitool wwctl clush pdsh; do
  command -v "$name" >/dev/null 2>&1 && printf '=answer %s\n' "$name"
done
echo '=end'
