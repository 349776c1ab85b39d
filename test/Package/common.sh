# What the tests of this folder share: a scratch folder, and checks of an installed tree.
set -euo pipefail
cmake=$1 build=$2 root=$3 examples=$4
bundle=$examples/bundles/saxpy.bundle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset LD_LIBRARY_PATH PKG_CONFIG_PATH PYTHONPATH TEENY_LIBRARY

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# prints TEXT COMMAND...: the command prints a line that ends with the text.
prints() {
  local text=$1 output
  shift
  output=$("$@" 2>&1) || fail "$* failed: $output"
  [[ $output == *"$text" ]] || fail "$* printed: $output, expected: $text"
}

# runs TREE: the programs of an installed tree run. The sum of saxpy is known: 2 * 0.25 + 0.25.
runs() {
  local tree=$1
  prints "0.1.0" "$tree/bin/teeny-run" --version
  prints "outputs: 1" sh -c "'$tree/bin/teeny-run' '$bundle' --describe --json |
    python3 -c 'import json, sys; print(\"outputs:\", len(json.load(sys.stdin)[\"outputs\"]))'"
  prints "out[0] = 3" env PYTHONPATH="$tree/lib/python3/dist-packages" python3 -B \
    "$examples/readme_example.python" "$bundle"
  [ -x "$tree/bin/teenyc" ] || return 0
  cp "$root/kernels/nn/softmax.py" "$scratch"
  "$tree/bin/teenyc" compile "$scratch/softmax.py::softmax_forward" --signature '*fp32, *fp32, i32, 4' \
    --target=x86-64,compute_80 -o "$scratch/softmax.bundle"
  # Of four equal numbers.
  prints "f32 (1, 4)  0.25 0.25 0.25 0.25" "$tree/bin/teeny-run" "$scratch/softmax.bundle" --device cpu --grid 1 \
    --arg x=zeros:1x4 --arg out=zeros:1x4 --arg N=4
}
