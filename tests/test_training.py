"""Trainings with Opacus: which loops are followed, and that nothing is claimed of those in which a batch, a loss or a
gradient may be seen, or a step is no sampled Gaussian mechanism."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dp_lsp.cli import main

PROGRAM = """\
from typing import Annotated

import torch
import torch.nn.functional as F
from dp_types import AddRemove, ChangeOne, Private, Static
from opacus import PrivacyEngine
from torch import nn
from torch.utils.data import DataLoader
from tqdm import tqdm


def train(model, optimizer, loader: Annotated[DataLoader, AddRemove()], epochs: Static[int]) -> Private:
    engine = PrivacyEngine()
    model, optimizer, loader = engine.make_private(
        module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=1.1, max_grad_norm=1.0
    )
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    return model
"""
ENGINE, MAKE = "    engine = PrivacyEngine()\n", "model, optimizer, loader = engine"
BATCHES, ZERO, STEP = "for x, y in loader:\n", "            optimizer.zero_grad()\n", "            optimizer.step()\n"
LOSS, BACKWARD = "            loss = F.cross_entropy(model(x), y)\n", "            loss.backward()\n"
LAST, CLIP, GIVEN = "    return model\n", "max_grad_norm=1.0", "def train(model, optimizer, "

FOLLOWED: dict[str, list[tuple[str, str]]] = {
    "as it is": [],
    "on a device": [(GIVEN, "def train(device, model, optimizer, "), (ZERO, f"            x = x.to(device)\n{ZERO}")],
    "a loss with a name": [(ENGINE, f"    lost = nn.CrossEntropyLoss()\n{ENGINE}"), ("F.cross_entropy(", "lost(")],
    "made in the function": [
        (GIVEN, "def train(rate, "),
        (
            ENGINE,
            f"    model = nn.Linear(3, 2)\n    optimizer = torch.optim.SGD(model.parameters(), lr=rate)\n{ENGINE}",
        ),
    ],
    "counted": [(BATCHES, "for i, (x, y) in enumerate(tqdm(loader)):\n")],
    "a batch with a name": [(BATCHES, "for batch in loader:\n            x, y = batch\n")],
    "what was spent is told": [
        (LAST, "    spent = engine.get_epsilon(1e-5)\n    print(spent)\n    return model, spent\n")
    ],
    "sampling that is said": [(CLIP, f"{CLIP}, poisson_sampling=True")],
    "zeroed behind the step": [(ZERO, ""), (STEP, STEP + ZERO)],
    "training and evaluating": [(ENGINE, f"    model.train()\n{ENGINE}"), (LAST, f"    model.eval()\n{LAST}")],
}
NOT_FOLLOWED: dict[str, list[tuple[str, str]]] = {
    "the loader that was given": [(MAKE, "model, optimizer, private = engine")],
    "the optimizer that was given": [(MAKE, "model, private, loader = engine")],
    "the module that was given": [(MAKE, "private, optimizer, loader = engine")],
    "names that are crossed": [(MAKE, "optimizer, model, loader = engine")],
    "no Poisson samples": [(CLIP, f"{CLIP}, poisson_sampling=False")],
    "a seed": [(CLIP, f"{CLIP}, noise_generator=torch.Generator()")],
    "clipping by layer": [(CLIP, f'{CLIP}, clipping="per_layer"')],
    "arguments that are not written out": [(CLIP, f"{CLIP}, **more")],
    "noise for an ε": [("make_private", "make_private_with_epsilon")],
    "a loss is printed": [(STEP, f"{STEP}            print(loss.item())\n")],
    "losses are added up": [
        (ENGINE, f"    total = 0.0\n{ENGINE}"),
        (STEP, f"{STEP}            total += loss.item()\n"),
    ],
    "losses are kept": [(ENGINE, f"    seen = []\n{ENGINE}"), (STEP, f"{STEP}            seen.append(loss.item())\n")],
    "a loss is returned": [(LAST, "    return model, loss\n")],
    "a batch is returned": [(LAST, "    return x\n")],
    "a gradient is read": [(STEP, f"            print(model.weight.grad)\n{STEP}")],
    "gradients of records are read": [(LAST, "    return model, model.weight.grad_sample\n")],
    "how many records there are": [(LAST, "    return model, len(loader.dataset)\n")],
    "backward twice": [(BACKWARD, BACKWARD * 2)],
    "two steps": [(STEP, STEP * 2)],
    "no step": [(STEP, "")],
    "gradients are not zeroed": [(ZERO, "")],
    "gradients are zeroed before the step": [(ZERO, ""), (STEP, ZERO + STEP)],
    "a loss that is summed": [("(model(x), y)", '(model(x), y, reduction="sum")')],
    "a loss with weights": [("(model(x), y)", "(model(x), y, weight=w)")],
    "another loss": [("F.cross_entropy(", "lost(")],
    "a loss of the sum": [("(model(x), y)", "(model(x), x.sum())")],
    "records of which the mean is taken off": [(ZERO, f"            x = x - x.mean()\n{ZERO}")],
    "records that are rolled": [(ZERO, f"            x = torch.roll(x, 1)\n{ZERO}")],
    "records in another shape": [(ZERO, f"            x = x.view(-1, 784)\n{ZERO}")],
    "records that are joined": [(ZERO, f"            x = x.flatten(0)\n{ZERO}")],
    "a branch on a batch": [(STEP, f"            if loss < 1:\n    {STEP}")],
    "a part of the module is changed": [(STEP, f"{STEP}            model.last = x\n")],
    "a name in an expression": [("model(x)", "model(z := x)")],
    "virtual steps": [(BATCHES, "for x, y in BatchMemoryManager(loader, 8, optimizer):\n")],
    "a step that is given a function": [(STEP, "            optimizer.step(print)\n")],
    "a hook": [(LAST, f"    model.register_full_backward_hook(print)\n{LAST}")],
    "another name for the loader": [(ENGINE, f"    other = loader\n{ENGINE}"), (BATCHES, "for x, y in other:\n")],
    "another name for the optimizer": [
        (ENGINE, f"    other = optimizer\n{ENGINE}"),
        (STEP, "            other.step()\n"),
    ],
    "seen by a function inside": [(ENGINE, f"    def shown():\n        print(model)\n{ENGINE}")],
    "evaluated on the batches": [(LAST, f"    right = [model(a) == b for a, b in loader]\n{LAST}")],
    "an engine of somebody": [(ENGINE, ""), (GIVEN, "def train(engine, model, optimizer, ")],
    "an engine that is replaced": [(ENGINE, f"{ENGINE}    engine = epochs\n")],
    "made private on a condition": [
        ("    model, optimizer, loader =", "    if epochs > 2: model, optimizer, loader =")
    ],
    "nothing is private": [(MAKE, "model = engine"), ("make_private", "other")],
    "records that are replaced": [("AddRemove()]", "ChangeOne()]")],
    "nobody is protected": [("loader: Annotated[DataLoader, AddRemove()]", "loader")],
    "noise that is private": [("Static[int]", "Static[int], sigma: float"), ("1.1", "sigma")],
    "no noise": [("1.1", "0")],
    "rounds that are private": [("Static[int]", "int")],
    "a module that depends on the data": [
        (GIVEN, "def train(optimizer, "),
        (ENGINE, f"    model = nn.Linear(len(loader), 2)\n{ENGINE}"),
    ],
    "a module that depends on a private number": [
        (GIVEN, "def train(k: float, optimizer, "),
        (ENGINE, f"    model = nn.Linear(k, 2)\n{ENGINE}"),
    ],
    "a module that a function makes": [
        ("def train", "def made():\n    return open('secret').read()\n\ndef train"),
        (GIVEN, "def train(optimizer, "),
        (ENGINE, f"    model = made()\n{ENGINE}"),
    ],
    "an engine of the program": [
        ("from opacus import PrivacyEngine\n", ""),
        ("def train", "def PrivacyEngine():\n    return 1\n\ndef train"),
    ],
    "losses of the program": [
        ("import torch.nn.functional as F\n", ""),
        ("def train", "class F:\n    cross_entropy = print\n\ndef train"),
    ],
    "a bar of the program": [
        ("from tqdm import tqdm\n", ""),
        ("def train", "def tqdm(v):\n    print(v)\n    return v\n\ndef train"),
        (BATCHES, "for x, y in tqdm(loader):\n"),
    ],
}
SCRIPT = """\
from typing import Annotated

import torch
from dp_types import AddRemove
from opacus import PrivacyEngine
from torch import nn
from torch.utils.data import DataLoader

loader: Annotated[DataLoader, AddRemove()] = DataLoader(torch.load("data.pt"), batch_size=64)
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
lost = nn.CrossEntropyLoss()
engine = PrivacyEngine()
model, optimizer, loader = engine.make_private(
    module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=1.1, max_grad_norm=1.0
)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        lost(model(x), y).backward()
        optimizer.step()
print(engine.get_epsilon(1e-5))
"""


def status(program: str, changes: list[tuple[str, str]], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The state of the last function of a program after some changes."""
    for old, new in changes:
        assert old in program
        program = program.replace(old, new, 1)
    path = folder / "program.py"
    path.write_text(program, "utf-8")
    compile(program, "program.py", "exec")
    main(["check", "--no-cache", "--output-format", "json", str(path)])
    functions = json.loads(capsys.readouterr().out)["files"][0]["functions"]
    return next(each["status"] for each in functions if each["name"] in ("train", "<module>"))


@pytest.mark.parametrize("change", FOLLOWED)
def test_trainings_that_are_followed(change: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(PROGRAM, FOLLOWED[change], tmp_path, capsys) == "proved"


@pytest.mark.parametrize("change", NOT_FOLLOWED)
def test_nothing_is_claimed_of_others(change: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(PROGRAM, NOT_FOLLOWED[change], tmp_path, capsys) in ("unknown", "failed")


SCRIPTS = {
    "as it is": ([], "proved"),
    "a function that reads the data": (
        [
            ("loader:", "def made():\n    return nn.Linear(len(loader), 2)\n\nloader:"),
            ("= nn.Linear(3, 2)", "= made()"),
        ],
        "unknown",
    ),
    "a function that shows gradients": (
        [
            ("loader:", "def shown():\n    print(model.weight.grad_sample)\n\nloader:"),
            ("print(engine.get_epsilon(1e-5))", "shown()"),
        ],
        "unknown",
    ),
    "a gradient is printed": ([("print(engine.get_epsilon(1e-5))", "print(model.weight.grad)")], "unknown"),
    "batches are printed": ([("print(engine", "for a, b in loader:\n    print(a)\nprint(engine")], "unknown"),
}


@pytest.mark.parametrize("change", SCRIPTS)
def test_scripts_that_train(change: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changes, expected = SCRIPTS[change]
    assert status(SCRIPT, changes, tmp_path, capsys) == expected
