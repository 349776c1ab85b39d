#!/bin/bash
# run_report.sh TEENYC ROOT: reports are whole pages of their own, with a part for each thing in the bundle.
set -euo pipefail
teenyc=$1 root=$2
here=$root/test/Driver
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

report() { # BUNDLE FLAG...
  local bundle=$1
  shift
  "$teenyc" report "$bundle" -o "$bundle.html" "$@" </dev/null
  "$here/check_report.py" "$bundle.html" "$bundle"
}
"$teenyc" compile "$root/graphs/mlp/mlp.json" --target=compute_80,x86-64 --golden -o mlp.bundle
report mlp.bundle
grep -q 'Sizes below are at B = 1[.]' mlp.bundle.html
grep -q '>core.matmul, add, gelu<' mlp.bundle.html
report mlp.bundle --dim B=100
grep -q 'Sizes below are at B = 100[.]' mlp.bundle.html
"$teenyc" report mlp.bundle -o again.html --dim B=100
cmp mlp.bundle.html again.html
# Nothing is alive where nothing is there.
report mlp.bundle --dim B=0
if grep -q '<svg class="memory"' mlp.bundle.html; then exit 1; fi
# Parts of a whole, spills, names that are markup.
"$here/edit_bundle.py" mlp.bundle parts.bundle '
m["name"] = "</title><script>alert(1)</script>"
temporary = [b for b in m["buffers"] if b["kind"] == "temporary"][0]
m["buffers"].append({"name": "<b>\"part&\"", "kind": "temporary", "bytes": 16, "align": 16, "lifetime": temporary["lifetime"],
                     "alias_of": temporary["name"], "alias_offset": 32})
m["launches"][0]["name"] = "<img src=x onerror=alert(1)>"
m["launches"][1]["ops"] = ["\x27\"><script>"]
k = m["kernels"][0]
k["source"] = "<!--"
k["code"][0]["spill_bytes"] = 12345'
report parts.bundle
grep -q '<b class="warn">12345</b>' parts.bundle.html
# A browser, where there is one that starts here, sees the same page.
if command -v chromium >/dev/null && timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" \
  --dump-dom "file://$scratch/parts.bundle.html" >seen.html 2>/dev/null </dev/null; then
  "$here/check_report.py" seen.html parts.bundle
fi
# Where there are many launches, the tables stay.
"$here/edit_bundle.py" mlp.bundle many.bundle '
old = m["launches"]
m["launches"] = [dict(old[i % len(old)], name="launch%d" % i) for i in range(2001)]
for b in m["buffers"]:
  if "lifetime" in b: b["lifetime"] = [0, 2000]'
report many.bundle
"$teenyc" compile "$here/models/fused/model.json" --target=x86-64 -o fused.bundle
report fused.bundle
"$teenyc" compile "$root/kernels/nn/softmax.py::softmax_forward" --signature '*fp32, *fp32, i32, 1024' --target=x86-64 -o alone.bundle
report alone.bundle

expect() { # CODE TEXT COMMAND...
  local wanted=$1 text=$2 code=0
  shift 2
  "$@" >out 2>&1 </dev/null || code=$?
  [ "$code" = "$wanted" ] && grep -qF -- "$text" out || { echo "exit code $code: $*"; cat out; exit 1; }
}
expect 1 'B = 70000 is outside 0 to 65536' "$teenyc" report mlp.bundle -o x.html --dim B=70000
expect 1 "the bundle has no dim 'N'" "$teenyc" report mlp.bundle -o x.html --dim N=1
expect 2 "expected NAME=N, found 'B=x'" "$teenyc" report mlp.bundle -o x.html --dim B=x
expect 1 "mlp.json: this is text and no bundle; 'teenyc compile' makes one" "$teenyc" report "$root/graphs/mlp/mlp.json" -o x.html
expect 2 "mlp.json: this is text and no bundle; 'teenyc compile' makes one" "$teenyc" diff mlp.bundle "$root/graphs/mlp/mlp.json"
expect 1 "mlp.json: this is text and no bundle; 'teenyc compile' makes one" "$teenyc" verify "$root/graphs/mlp/mlp.json"
expect 1 'none.bundle' "$teenyc" report none.bundle -o x.html
expect 3 'x.html' "$teenyc" report mlp.bundle -o nowhere/x.html
[ ! -e x.html ]
