"""Type, sensitivity and privacy inference, in one pass over core terms.

The judgement of a term is its type and its sensitivity environment: for each variable, how far the value *moves*, as a
distance in the metric of its type, per unit that the variable moves. The effect of evaluating a term is what it
*spends*: a tree of privacy events. A mechanism turns the one into the other: the sensitivities of its input become the
distances of an event, and its output moves with nothing, which is why post-processing is free (Dwork and Roth 2014,
Proposition 2.1). So there is one language, and no separate one for sensitivity and for privacy.
"""
