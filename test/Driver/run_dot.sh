#!/bin/bash
# run_dot.sh TEENYC ROOT: graphs for Graphviz, word for word, and taken by `dot` where it is installed.
set -euo pipefail
teenyc=$1 root=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

"$teenyc" dump --dot "$root/test/Driver/models/fused/model.json" >out
diff -u - out <<'END'
digraph "fused \"graph\"" {
  node [shape=box, fontname="sans-serif"];
  edge [fontname="sans-serif", fontsize=10];
  n0 [label="x\\N<1>\ninput", shape=ellipse];
  n1 [label="w\ninput", shape=ellipse];
  n2 [label="bias\ninput", shape=ellipse];
  n3 [label="product.rows\nreshape"];
  n0 -> n3 [label="f32[B, 8]"];
  n4 [label="product.weight\nreshape"];
  n1 -> n4 [label="f32[4, 8]"];
  subgraph cluster_5 {
    label="act";
    n5 [label="core.matmul"];
    n3 -> n5 [label="f32[1, B, 8]"];
    n4 -> n5 [label="f32[1, 4, 8]"];
    n6 [label="add"];
    n5 -> n6 [label="f32"];
    n2 -> n6 [label="f32[4]"];
    n7 [label="relu"];
    n6 -> n7 [label="f32"];
  }
  n8 [label="twice\nadd"];
  n0 -> n8 [label="f32[B, 8]"];
  n0 -> n8 [label="f32[B, 8]"];
  n9 [label="act\noutput", shape=ellipse];
  n7 -> n9 [label="f32[B, 4]"];
  n10 [label="twice\noutput", shape=ellipse];
  n8 -> n10 [label="f32[B, 8]"];
}
END
"$teenyc" dump --dot "$root/test/Driver/models/fused/model.json" --stop-after=import >imported
grep -qxF '  n3 [label="product\nlinear"];' imported
grep -qxF '  n3 -> n4 [label="?"];' imported
"$teenyc" dump --dot "$root/graphs/detect_decode/detect_decode.json" --stop-after=bind-kernels >bound
grep -qxF '  n4 [label="boxes\ndetect_decode_forward"];' bound
code=0
"$teenyc" compile "$root/graphs/mlp/mlp.json" --target=x86-64 -o mlp.bundle
"$teenyc" dump --dot mlp.bundle 2>/dev/null || code=$?
[ "$code" = 1 ]

if command -v dot >/dev/null; then
  for graph in "$root"/graphs/*/*.json; do
    "$teenyc" dump --dot "$graph" >graph
    dot -Tplain graph >plain
    # A line for each point, and for each edge.
    [ "$(grep -c '^node ' plain)" = "$(grep -cE '^ *n[0-9]+ \[label=' graph)" ]
    [ "$(grep -c '^edge ' plain)" = "$(grep -c ' -> ' graph)" ]
  done
  dot -Tplain out >/dev/null
  dot -Tplain imported >/dev/null
fi
