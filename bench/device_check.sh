#!/usr/bin/env bash
# On a machine with a device: memory, latency, launches, transfers, peaks and matrix products, each once, in at most 10
# minutes. Writes the runs' folders and reports below FOLDER (default: device-check), and prints the figures.
#   bench/device_check.sh [FOLDER] [opencl|cuda]
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-device-check} way=${2:-cuda}
mkdir -p "$folder"
end=$((SECONDS + 600))
./x assay doctor --json >"$folder/doctor.json"
for name in device-stream device-peak device-gemm device-copy device-latency device-launch device-overlap; do
  left=$((end - SECONDS))
  if [ "$left" -lt 30 ]; then
    echo "$name: no time is left"
    continue
  fi
  timeout "$left" ./x assay run "$name" --device "$way" --launches 3 --timeout 90s --out "$folder/$name" ||
    echo "$name: failed; see $folder/$name"
done
