#!/usr/bin/env python3
"""Trains the network of digits.json on the 8 x 8 scans of handwritten digits that scikit-learn ships, and writes beside
itself weights.safetensors (and weights_f16.safetensors, the same rounded), the held-out scans and labels, and fixtures of the outputs.

    python3 train.py      # needs torch, numpy and scikit-learn

One scan in five is held out, the same share of each digit, drawn with SEED; the network never sees those. The same
versions of these packages on the same kind of processor give the same files.
"""
import json
import struct
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

SEED = 7
EPOCHS = 60
FOLDER = Path(__file__).parent


def write_safetensors(path, tensors):
    header, body = {}, b""
    for name, value in sorted(tensors.items()):
        raw = np.ascontiguousarray(value.detach().numpy()).tobytes()
        offsets = [len(body), len(body) + len(raw)]
        dtype = {torch.float32: "F32", torch.float16: "F16"}[value.dtype]
        header[name] = {"dtype": dtype, "shape": list(value.shape), "data_offsets": offsets}
        body += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def split(labels, generator):
    """Indices of the scans to train on and of those held out."""
    held = []
    for digit in range(10):
        indices = np.flatnonzero(labels == digit)
        held.append(generator.permutation(indices)[: round(len(indices) / 5)])
    held = np.sort(np.concatenate(held))
    return np.setdiff1d(np.arange(len(labels)), held), held


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.conv3 = nn.Conv2d(32, 64, 3, padding=1)
        self.fc1 = nn.Linear(256, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.max_pool2d(F.relu(self.conv3(x)), 2)
        x = F.dropout(x.flatten(1), 0.3, self.training)
        return self.fc2(F.relu(self.fc1(x)))


def shifted(images, generator):
    """Each image moved by up to one pixel down and across."""
    padded = F.pad(images, (1, 1, 1, 1))
    moves = torch.randint(0, 3, (len(images), 2), generator=generator)
    return torch.stack([image[:, y : y + 8, x : x + 8] for image, (y, x) in zip(padded, moves.tolist())])


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(SEED)
    data = load_digits()
    images = torch.tensor(data.images / 16, dtype=torch.float32)[:, None]  # pixels are 0 to 16
    labels = torch.tensor(data.target)
    train, held = split(data.target, np.random.default_rng(SEED))
    network = Digits()
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3, weight_decay=1e-2)
    batches = len(train) // 64
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, epochs=EPOCHS, steps_per_epoch=batches)
    for _ in range(EPOCHS):
        order = torch.from_numpy(train)[torch.randperm(len(train), generator=generator)]
        for batch in order[: batches * 64].split(64):
            loss = F.cross_entropy(network(shifted(images[batch], generator)), labels[batch], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    network.eval()
    with torch.no_grad():
        outputs = network(images[held])
    right = (outputs.argmax(1) == labels[held]).sum().item()
    print(f"{right} of {len(held)} held-out scans right: {100 * right / len(held):.1f} %")
    weights = network.state_dict()
    write_safetensors(FOLDER / "weights.safetensors", weights)
    write_safetensors(FOLDER / "weights_f16.safetensors", {name: value.half() for name, value in weights.items()})
    np.save(FOLDER / "held_out_images.npy", images[held].numpy())
    np.save(FOLDER / "held_out_labels.npy", labels[held].numpy().astype(np.int32))
    np.save(FOLDER / "held_out_logits.npy", outputs.numpy())


if __name__ == "__main__":
    main()
