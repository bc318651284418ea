"""What else must hold for a guarantee, in words."""

from __future__ import annotations

from dp_lsp.accounting.charge import Charge, Relation, Sampled, Scheme
from dp_lsp.accounting.wire import in_order
from dp_lsp.mechanisms.mechanism import Loss

_SCHEMES = {
    Scheme.POISSON: "every row is drawn by a coin of its own",
    Scheme.WITHOUT_REPLACEMENT: "every set of rows of the sample's size is drawn with the same probability",
    Scheme.WITH_REPLACEMENT: "every draw takes any row with the same probability",
}
_RELATIONS = {
    Relation.CHANGE_ONE: "neighbours differ in one record",
    Relation.ADD_REMOVE: "of neighbours one has a record more",
}
_FIXED = {"optimal": "how much each round may spend does not depend on what was released"}


def conditions(charge: Charge, rule: str) -> str:
    """The side conditions of a guarantee by a rule, each once."""
    found = dict.fromkeys([_FIXED[rule]] if rule in _FIXED else [])
    for node in in_order(charge):
        match node:
            case Loss(condition=condition) if condition:
                found[condition] = None
            case Sampled(scheme=scheme, relation=relation):
                found |= dict.fromkeys([_SCHEMES[scheme], _RELATIONS[relation]])
    return "; ".join(found)
