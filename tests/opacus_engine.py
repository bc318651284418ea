"""A training by the engine of Opacus itself, which needs torch: its loader draws each record with probability
1/len(loader), an epoch is no longer than that many steps, and its accountant is told so many. An opt-in:

    pip install torch opacus==1.6.0 && python tests/opacus_engine.py
"""

from __future__ import annotations

import warnings


def main(records: int = 1000, size: int = 50, epochs: int = 2) -> None:
    """Train for some epochs, and print what the library did. Raises AssertionError if it is not what is priced."""
    import torch  # type: ignore[import-not-found]
    from opacus import PrivacyEngine  # type: ignore[import-not-found]
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset  # type: ignore[import-not-found]

    warnings.simplefilter("ignore")
    data = TensorDataset(torch.randn(records, 3), torch.randint(0, 2, (records,)))
    loader, model = DataLoader(data, batch_size=size), nn.Linear(3, 2)
    batches = len(loader)
    engine = PrivacyEngine()
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=loader,
        noise_multiplier=1.1,
        max_grad_norm=1.0,
    )
    sizes = []
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            sizes.append(len(x))
    ((noise, rate, steps),) = engine.accountant.history
    print(f"noise {noise}, rate {rate}, {steps} steps, batches of {min(sizes)} to {max(sizes)}")
    print(f"ε {engine.get_epsilon(1e-5)} at δ 1e-5")
    assert (noise, rate) == (1.1, 1 / batches)
    assert steps == len(sizes) <= epochs * batches
    assert len({*sizes}) > 1, "Poisson samples are of several sizes"


if __name__ == "__main__":
    main()
