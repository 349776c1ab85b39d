#!/bin/bash
# run_snapshots.sh TEENYC GRAPH.json FOLDER: graph IR, tile IR, launch table and counts of PTX instructions by kind of a
# shipped graph are what the files FOLDER/NAME.{graph,tile,launches,census} hold. With TEENY_BLESS=1, writes the files anew instead.
set -euo pipefail
teenyc=$1 graph=$2 folder=$3
name=$(basename "$graph" .json)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

status=0
for what in graph tile launches census; do
  case $what in
  census) "$teenyc" dump --ptx "$graph" </dev/null | grep '^// .* instructions; ' >"$scratch/census" ;;
  *) "$teenyc" dump --$what "$graph" >"$scratch/$what" </dev/null ;;
  esac
  if [ -n "${TEENY_BLESS:-}" ]; then
    cp "$scratch/$what" "$folder/$name.$what"
  elif ! diff -u "$folder/$name.$what" "$scratch/$what"; then
    echo "if the change is meant: scripts/bless"
    status=1
  fi
done
exit $status
