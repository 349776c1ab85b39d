#!/bin/bash
# run_setup.sh ROOT: what scripts/setup installs, calls and says, on machines made of stubs. Nothing else is in PATH.
set -euo pipefail
setup=$1/scripts/setup
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$(command -v env)" "$(command -v grep)" "$scratch/bin"

# stub NAME TEXT: a program in PATH that is this shell script.
stub() {
  printf '#!/bin/bash\n%s\n' "$2" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}
# says CODE TEXT...: setup ends with the code and prints each of the texts.
says() {
  local wanted=$1 code=0 text
  shift
  : >"$scratch/calls"
  PATH=$scratch/bin CUDA_HOME=$scratch "$setup" >"$scratch/out" 2>&1 </dev/null || code=$?
  for text; do
    grep -qF -- "$text" "$scratch/out" || { echo "missing: $text"; cat "$scratch/out"; exit 1; }
  done
  [ "$code" = "$wanted" ] || { echo "exit code $code, not $wanted"; cat "$scratch/out"; exit 1; }
}
# calls TEXT: what setup has called since then.
calls() { diff <(printf "$1") "$scratch/calls"; }

says 3 "this system has no apt-get; install the equivalents of: g++ cmake"

stub apt-get "echo apt-get \"\$@\" >>'$scratch/calls'"
stub dpkg-query 'echo installed'
stub ldconfig 'echo "libcuda.so.1 => /usr/lib/libcuda.so.1"; for i in {1..20000}; do echo "another library"; done'
says 0 "no ptxas in PATH or $scratch/bin" "setup: ready"
calls ''
grep -q libcuda "$scratch/out" && { echo "the driver is there"; exit 1; }
stub ldconfig ''
says 0 "no libcuda.so.1"

stub dpkg-query '[ "${@: -1}" = catch2 ] || [ "${@: -1}" = lld-22 ] || echo installed'
stub id 'echo 1000'
says 3 "setup: run as root, or install sudo, to install: lld-22 catch2"
calls ''
stub sudo "echo sudo >>'$scratch/calls'; \"\$@\""
flags='apt-get -q -o Acquire::Retries=3'
says 0 "setup: installing lld-22 catch2" "setup: ready"
calls "sudo\n$flags update\nsudo\n$flags install -y --no-install-recommends lld-22 catch2\n"
stub id 'echo 0'
says 0 "setup: ready"
calls "$flags update\n$flags install -y --no-install-recommends lld-22 catch2\n"
stub apt-get 'echo "E: Unable to locate package lld-22"; exit 100'
says 3 "E: Unable to locate package lld-22" "bookworm-security"
