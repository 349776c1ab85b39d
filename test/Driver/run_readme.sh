#!/bin/bash
# run_readme.sh README BIN ROOT: each command of the README ("    $ command") runs, and prints what follows it there,
# times aside. It runs beside copies of the graphs, the kernels and the mistakes in errors/. A line that is the name of a file,
# as `name`:, puts the fenced text that follows into that file.
set -euo pipefail
readme=$1 bin=$2 root=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$root/graphs" "$root/kernels" "$scratch"
mkdir -p "$scratch/build" "$scratch/test/Driver"
cp -r "$root/test/Driver/errors" "$scratch/test/Driver"
ln -s "$bin" "$scratch/build/bin"
cd "$scratch"

file="" inside=""
while IFS= read -r line; do
  case $line in
  '```'*)
    if [ -n "$inside" ]; then
      file="" inside=""
    elif [ -n "$file" ]; then
      inside=yes
      mkdir -p "$(dirname "$file")"
      : >"$file"
    fi
    ;;
  '`'*'`:') file=${line#?} file=${file%??} ;;
  *) [ -z "$inside" ] || printf '%s\n' "$line" >>"$file" ;;
  esac
done <"$readme"

count=0 command=""
: >expected
finish() {
  [ -n "$command" ] || return 0
  count=$((count + 1))
  bash -c "$command" >actual 2>&1 </dev/null || true
  # Times, and what depends on the machine's processor.
  mask='/^(wall|device) /s/[0-9]+\.[0-9]+/N/g; s/^on cpu .*,/on cpu,/; s/ +/ /g; s/ +$//'
  if ! diff -u <(sed -E "$mask" expected | sed '/^$/d') <(sed -E "$mask" actual | sed '/^$/d'); then
    echo "the README shows something else for: $command"
    exit 1
  fi
  command=""
  : >expected
}
while IFS= read -r line; do
  case $line in
  '    $ '*) finish; command=${line#"    $ "} ;;
  '    '*) [ -z "$command" ] || echo "${line#    }" >>expected ;;
  '') [ -z "$command" ] || echo >>expected ;;
  *) finish ;;
  esac
done <"$readme"
finish
[ "$count" -ge 3 ] || { echo "only $count commands found in the README"; exit 1; }
