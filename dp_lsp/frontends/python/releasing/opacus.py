"""Opacus: training by stochastic gradient descent with noise (DP-SGD), as its ``PrivacyEngine`` makes it of a module,
an optimizer and a loader.

What it does was read in the library's text, version 1.6.0 (Yousefpour and others 2021, "Opacus: User-Friendly
Differential Privacy Library in PyTorch"). ``make_private`` gives a loader back whose batches hold each record with
probability 1/len(loader) by itself, and an optimizer that clips what each record adds to a gradient, adds the sum up
and adds noise of deviation ``noise_multiplier * max_grad_norm``. An epoch is ``int(1 / (1 / len(loader)))`` such steps,
which is at most ``len(loader)``. What is priced is the sampled Gaussian mechanism (Abadi and others 2016; Mironov,
Talwar and Zhang 2019), for one record that is added or removed.
"""

from __future__ import annotations

VERSION = "1.6.0"
PREMISE = (
    f"Opacus does what its pages say, as version {VERSION} does: the module computes what it does of each record by "
    "itself, what it makes has the shape of what a loss compares it with, the optimizer reads no gradient but that "
    "with noise, and how many records and batches there are is public"
)
"""What is taken for granted of a loop. Of shapes that differ, such as (n, 1) and (n,), a loss of PyTorch compares each
record with all others, and only warns. The library divides by the number of records, and takes as many steps as there
are batches: that neighbours have as many is what its own accountants take for granted, too."""

STEP = "PrivacyEngine().make_private"
"""What the mechanism is called here, one step of which an optimizer makes."""
ENGINE = "opacus.PrivacyEngine"
ENGINE_SAYS = frozenset({"accountant", "secure_mode"})
MAKE, MAKE_FOR = "make_private", "make_private_with_epsilon"
TELLS = "get_epsilon"
"""The method of an engine that tells what was spent, which is public."""

NEEDED = ("module", "optimizer", "data_loader", "noise_multiplier", "max_grad_norm")
PLAIN = {"poisson_sampling": True, "clipping": "flat", "loss_reduction": "mean", "grad_sample_mode": "hooks"}
"""Arguments that change nothing where they are what they are if they are left out."""
WHY = {
    "poisson_sampling": "batches that are no Poisson samples, of which its price is not known",
    "noise_generator": "a seed: noise that can be drawn again hides nothing",
}

HOMES = {"opacus": "opacus", "PrivacyEngine": ENGINE}
NAMED = {"PrivacyEngine": ENGINE}
AROUND = {"tqdm": "tqdm.tqdm", "torch": "torch", "nn": "torch.nn", "optim": "torch.optim", "F": "torch.nn.functional"}
"""The modules around it, by the names that they must have where their losses are used."""
_LOSSES = {
    "cross_entropy": "CrossEntropyLoss",
    "nll_loss": "NLLLoss",
    "mse_loss": "MSELoss",
    "l1_loss": "L1Loss",
    "smooth_l1_loss": "SmoothL1Loss",
    "huber_loss": "HuberLoss",
    "binary_cross_entropy": "BCELoss",
    "binary_cross_entropy_with_logits": "BCEWithLogitsLoss",
}
LOSSES = frozenset(f"{home}.{name}" for name in _LOSSES for home in ("F", "nn.functional", "torch.nn.functional"))
"""The mean over records of what each loses by itself, if nothing else is said: with ``reduction="sum"``, or weights by
which the mean is divided, what a record adds depends on the others. Source: the manual of PyTorch
(``torch.nn.functional``)."""
LOSS_CLASSES = frozenset(f"{home}.{name}" for name in _LOSSES.values() for home in ("nn", "torch.nn"))
"""The same as classes."""
BY_RECORD = frozenset({"to", "cuda", "cpu", "float", "long", "double"})
"""Methods of tensors that do the same to each record."""
IN_PLACES = frozenset({"squeeze", "unsqueeze", "flatten"})
"""The same where they are given places behind the first, in which the records are."""
COUNTING = "tqdm"
"""What shows how many batches of a loop are done."""
BY_NAME = frozenset({"PrivacyEngine", COUNTING})
"""What is called by a name alone, which no function of a program may have then."""
KNOWN = frozenset({ENGINE, COUNTING, *LOSSES, *LOSS_CLASSES})
"""The functions that are known by their names."""
VIRTUAL = "BatchMemoryManager"
