#!/bin/bash
# run_determinism.sh TEENYC ROOT: two compilations of the shipped graphs give identical bytes, and so does every dump,
# whatever the folder, the working folder, the times of files, the user, the locale and the time zone.
set -euo pipefail
teenyc=$1 root=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

one=$scratch/one
two="$scratch/another folder/with spaces"
mkdir -p "$one" "$two"
for folder in "$one" "$two"; do
  cp -r "$root/graphs" "$root/kernels" "$folder"
  mkdir "$folder/out"
done
find "$two" -type f -exec touch -d '2001-02-03 04:05:06' {} +

# Another user, where this one may act as others and they can read the tree.
other=()
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$teenyc"; then
  other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  chmod 755 "$scratch"
  chown -R 65534:65534 "$scratch/another folder"
fi

first() { (cd "$one" && "$teenyc" "$@" </dev/null); }
second() { # absolute paths, from elsewhere
  local args=()
  for arg in "$@"; do
    case $arg in
    graphs/* | kernels/* | out/*) args+=("$two/$arg") ;;
    --emit-ir=*) args+=("--emit-ir=$two/${arg#--emit-ir=}") ;;
    *) args+=("$arg") ;;
    esac
  done
  (cd / && env -i PATH="$PATH" HOME=/nonexistent USER=other LC_ALL=C.UTF-8 TZ=Asia/Tokyo ${TEENY_PTXAS:+TEENY_PTXAS="$TEENY_PTXAS"} \
    ${CUDA_HOME:+CUDA_HOME="$CUDA_HOME"} "${other[@]}" "$teenyc" "${args[@]}" </dev/null)
}

# same NAME: what both put into out/NAME.
same() {
  cmp "$one/out/$1" "$two/out/$1"
  if grep -aq -e "$scratch" -e "$root" "$one/out/$1"; then
    echo "$1 holds a path of this machine"
    exit 1
  fi
}

for graph in "$one"/graphs/*/*.json; do
  graph=${graph#"$one"/}
  name=$(basename "$graph" .json)
  first compile "$graph" -o "out/$name.bundle"
  second compile "$graph" -o "out/$name.bundle"
  same "$name.bundle"
  for what in graph tile gpu llvm ptx launches source manifest; do
    for target in "" x86-64-v3 compute_80; do
      case $what-$target in gpu-x86* | ptx-x86*) continue ;; esac
      first dump --$what "$graph" ${target:+--target=$target} >"$one/out/$name.$what"
      second dump --$what "$graph" ${target:+--target=$target} >"$two/out/$name.$what"
      same "$name.$what"
    done
  done
  for what in ptx launches source manifest; do
    first dump --$what "out/$name.bundle" >"$one/out/$name.$what"
    second dump --$what "out/$name.bundle" >"$two/out/$name.$what"
    same "$name.$what"
  done
  first compile "$graph" -o "out/$name.bundle" --emit-ir="out/ir"
  second compile "$graph" -o "out/$name.bundle" --emit-ir="out/ir"
  diff -r "$one/out/ir" "$two/out/ir"
done

# Kernels without a graph.
for kernel in 'nn/softmax.py::softmax_forward *fp16:16,*fp16:16,i32:16,1024' 'basic/add.py::add_forward *fp32,*fp32,*fp32,i32,256'; do
  read -r function signature <<<"$kernel"
  name=${function##*::}
  first compile "kernels/$function" "--signature=$signature" -o "out/$name.bundle"
  second compile "kernels/$function" "--signature=$signature" -o "out/$name.bundle"
  same "$name.bundle"
  for what in tile ptx launches source; do
    first dump --$what "kernels/$function" "--signature=$signature" >"$one/out/$name.$what"
    second dump --$what "kernels/$function" "--signature=$signature" >"$two/out/$name.$what"
    same "$name.$what"
  done
  first kernels --json "kernels/${function%%::*}" >"$one/out/$name.json"
  second kernels --json "kernels/${function%%::*}" >"$two/out/$name.json"
  same "$name.json"
done
