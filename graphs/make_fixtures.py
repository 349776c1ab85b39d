#!/usr/bin/env python3
"""Writes, for graphs/mlp and graphs/residual, random weights.safetensors, inputs.npy, and outputs.npy: what PyTorch
computes from them on the CPU, in float64, rounded to float32.

    python3 make_fixtures.py      # needs torch and numpy
"""
import json
import struct
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

FOLDER = Path(__file__).parent


def write_safetensors(path, tensors):
    header, body = {}, b""
    for name, value in sorted(tensors.items()):
        raw = np.ascontiguousarray(value.detach().numpy()).tobytes()
        offsets = [len(body), len(body) + len(raw)]
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": offsets}
        body += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


class Mlp(nn.Module):
    inputs = (64, 100)

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(100, 96)
        self.norm = nn.LayerNorm(96)
        self.fc2 = nn.Linear(96, 50)
        self.fc3 = nn.Linear(50, 7, bias=False)

    def forward(self, x):
        x = self.norm(F.gelu(self.fc1(x)))
        return torch.softmax(self.fc3(F.silu(self.fc2(x))), -1)


class Residual(nn.Module):
    inputs = (64, 8, 9, 7)

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(8, 24, 3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(24)
        self.conv2 = nn.Conv2d(24, 24, 3, padding=1, groups=24, bias=False)
        self.bn2 = nn.BatchNorm2d(24)
        self.shortcut = nn.Conv2d(8, 24, 1, stride=2)
        self.fc = nn.Linear(24, 5)

    def forward(self, x):
        main = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        x = F.relu(main + self.shortcut(x))
        return self.fc(x.mean((2, 3)))


def main():
    for name, kind in (("mlp", Mlp), ("residual", Residual)):
        torch.manual_seed(3)
        network = kind().eval()
        with torch.no_grad():
            for key, value in network.state_dict().items():
                if "norm" in key or "bn" in key:
                    value.copy_(torch.rand_like(value.float()) + (0.5 if key.endswith(("weight", "var")) else -0.5))
        # Rounded to steps of 1/256, which compress well.
        x = (torch.randn(kind.inputs) * 256).round() / 256
        weights = {key: value for key, value in network.state_dict().items() if value.dtype == torch.float32}
        write_safetensors(FOLDER / name / "weights.safetensors", weights)
        with torch.no_grad():
            out = network.double()(x.double()).float()
        np.save(FOLDER / name / "inputs.npy", x.numpy())
        np.save(FOLDER / name / "outputs.npy", out.numpy())


if __name__ == "__main__":
    main()
