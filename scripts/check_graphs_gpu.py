#!/usr/bin/env python3
"""Shipped networks on a GPU against what PyTorch computed for them: the files beside the graphs.

    scripts/check_graphs_gpu.py --compile build/bin/teenyc --bundles DIR     # where the compiler is
    scripts/check_graphs_gpu.py --run build/bin/teeny-run --bundles DIR      # where the GPU is; needs NumPy

The second call runs every network for batches of 0 to 1000 with the code of each target, prints the largest difference
as a part of the largest magnitude and the time of a run, and fails if a difference is beyond the network's tolerance.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

GRAPHS = Path(__file__).resolve().parent.parent / "graphs"
TARGETS = "sm_90a,compute_80,cpu"
BATCHES = (0, 1, 7, 64, 1000)
# Graph, input, its file, output, its file, tolerance.
NETWORKS = (
    ("digits/digits", "images", "digits/held_out_images", "logits", "digits/held_out_logits", 1e-5),
    ("digits/digits_f16", "images", "digits/held_out_images", "logits", "digits/held_out_logits", 2e-3),
    ("mlp/mlp", "x", "mlp/inputs", "probabilities", "mlp/outputs", 1e-5),
    ("residual/residual", "images", "residual/inputs", "scores", "residual/outputs", 1e-5),
)


def compile_all(teenyc, bundles, targets):
    bundles.mkdir(parents=True, exist_ok=True)
    for graph, *_ in NETWORKS:
        bundle = bundles / (Path(graph).name + ".bundle")
        command = [teenyc, "compile", GRAPHS / (graph + ".json"), "-o", bundle, f"--target={targets}"]
        subprocess.run(command, check=True)


def run_all(teeny_run, bundles, targets):
    import numpy as np

    failed = 0
    for graph, input_name, inputs, output_name, outputs, tolerance in NETWORKS:
        bundle = bundles / (Path(graph).name + ".bundle")
        x, want = (np.load(GRAPHS / (name + ".npy")) for name in (inputs, outputs))
        for target in targets.split(","):
            for batch in BATCHES:
                rows = np.arange(batch) % len(x)
                with tempfile.TemporaryDirectory() as folder:
                    np.save(f"{folder}/in.npy", x[rows])
                    command = [teeny_run, bundle, "--device", "cpu" if target == "cpu" else "cuda",
                               "--input", f"{input_name}={folder}/in.npy", "--output", f"{output_name}={folder}/out.npy",
                               "--repeat", "20", "--json"]  # fmt: skip
                    command += [] if target == "cpu" else ["--target", target]
                    done = subprocess.run(command, capture_output=True, text=True)
                    if done.returncode:
                        sys.exit(f"{graph}, {target}, batch {batch}: {done.stderr}")
                    got = np.load(f"{folder}/out.npy")
                times = {row["name"]: row for row in json.loads(done.stdout)["timings"]["rows"]}
                error = 0.0
                if batch:
                    error = float(np.abs(got - want[rows]).max() / np.abs(want[rows]).max())
                good = got.shape == (batch, *want.shape[1:]) and error <= tolerance
                failed += not good
                time = f"{times['device']['median_us']:8.1f} us"
                print(f"{graph:18} {target:10} {batch:5} {error:8.1e} {time}  {'ok' if good else 'WRONG'}")
    print(f"{failed} wrong")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundles", type=Path, required=True)
    parser.add_argument("--compile", metavar="TEENYC")
    parser.add_argument("--run", metavar="TEENY_RUN")
    parser.add_argument("--targets", default=TARGETS)
    options = parser.parse_args()
    if options.compile:
        compile_all(options.compile, options.bundles, options.targets)
    if options.run:
        sys.exit(run_all(options.run, options.bundles, options.targets) != 0)


if __name__ == "__main__":
    main()
