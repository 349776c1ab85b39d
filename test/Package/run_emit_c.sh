#!/bin/bash
# run_emit_c.sh TEENYC SOURCES FAKE: kernels as C source are compiled with all warnings, and run on the fake driver; what is
# wrong on the command line is refused.
set -euo pipefail
teenyc=$1 sources=$2 fake=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cp "$sources"/* .

kernels=kernels.py
"$teenyc" compile $kernels::saxpy $kernels::saxpy $kernels::params $kernels::halves \
  --signature '*fp32:16, *fp32:16, *fp32:16, i32:16, fp32, 128' --signature '*fp32, *fp32, *fp32, i32, fp32, 128' \
  --signature '*fp64, i1, i8, i16, i32, i64, fp32, fp64' --signature '*fp64, fp16, bf16' --range n=0:100000 \
  --target=compute_75,compute_90,cpu --emit-c made
[ "$(ls made)" = "$(printf 'saxpy.c\nsaxpy.h')" ] || { echo "made: $(ls made)"; exit 1; }

flags=(-Wall -Wextra -Werror -pedantic -std=c11 -Imade)
cc -O2 "${flags[@]}" -c made/saxpy.c
printf '#include "saxpy.h"\nint main() { return saxpy_message(0) == nullptr; }\n' >header.cpp
c++ -Wall -Wextra -Werror -pedantic -std=c++17 -Imade header.cpp saxpy.o -o header
./header
for program in example checks; do
  cc "${flags[@]}" -Wno-pedantic $program.c saxpy.o "$fake/libcuda.so.1" -o $program
done
output=$(LD_LIBRARY_PATH=$fake ./example)
[ "$output" = "out[999] = 1498.5" ] || { echo "example: $output"; exit 1; } # 2 * 499.5 + 499.5
LD_LIBRARY_PATH=$fake ./checks

# Names that C lacks are changed.
"$teenyc" compile $kernels::names --signature '*fp64, i32, i32, i32, i32, i32, i32, i32, u64, u64' --range int_=1:9 \
  --target=compute_80 --emit-c made
cc "${flags[@]}" -c made/names.c
sed 's/saxpy/names/g' header.cpp >names.cpp
c++ -Wall -Wextra -Werror -pedantic -std=c++17 -Imade names.cpp names.o -o names

# Code for no GPU that there is; the fake one has the compute capability 8.6.
"$teenyc" compile $kernels::saxpy --signature '*fp32, *fp32, *fp32, i32, fp32, 128' --target=compute_90 --emit-c later
cc -Ilater example.c later/saxpy.c "$fake/libcuda.so.1" -o later/example
output=$(LD_LIBRARY_PATH=$fake ./later/example 2>&1 || true)
[ "$output" = "there is no code for this GPU: the kernels were compiled for compute_90" ] || { echo "later: $output"; exit 1; }

# refused CODE TEXT COMMAND...
refused() {
  local code=$1 text=$2 output status=0
  shift 2
  output=$("$teenyc" compile "$@" 2>&1) || status=$?
  [ "$status" = "$code" ] && [[ $output == *"$text"* ]] || { echo "$*: $status, $output"; exit 1; }
}
signature=(--signature '*fp32, *fp32, *fp32, i32, fp32, 128')
refused 2 "--emit-c needs a GPU among the targets" $kernels::saxpy "${signature[@]}" --target=cpu --emit-c made
refused 2 "--emit-c: this is for a kernel, FILE.py::FUNC" graph.json --emit-c made
refused 2 "--stop-after" $kernels::saxpy "${signature[@]}" --stop-after=tile --emit-c made
refused 3 "cannot create the folder" $kernels::saxpy "${signature[@]}" --target=compute_80 --emit-c kernels.py/made
