"""The words of the language: Julia's keywords, the annotations and the norms, and what each is for."""

from __future__ import annotations

KEYWORDS = frozenset(
    {
        *("function", "if", "for", "while", "begin", "let", "try", "quote", "do", "struct", "macro", "module"),
        *("baremodule", "end", "else", "elseif", "catch", "finally", "return", "const", "where", "global", "local"),
        *("export", "import", "using", "true", "false", "True", "False", "in", "isa", "break", "continue"),
    }
)
"""Words of Julia that are no names."""

VALUES = frozenset({"nothing"})
"""Names that Julia lets a program give another value, and whose own value the checker counts on."""

NORMS = {
    "L1": "The sum of the absolute values; the norm of Laplace noise.",
    "L2": "The Euclidean length; the norm of Gaussian noise.",
    "LInf": "The largest absolute value.",
}

DATASETS = {
    "Symmetric": "Datasets of private size: one person's record is added or removed.",
    "InsertDelete": "Datasets of private size whose order counts: one person's record is added or removed.",
    "ChangeOne": "Datasets of public size: one person's record is replaced by another.",
    "Hamming": "Datasets of public size whose order counts: the record at one position is replaced by another.",
}
"""How datasets are compared, where a norm could stand."""

DESCRIPTORS = {
    "Size": "The number of records, as in `Size(100)`; only with ChangeOne and Hamming, where it is public.",
    "AtLeast": "Every dataset has at least so many records, as in `AtLeast(10)`.",
    "Contributes": "One person has up to so many records, as in `Contributes(3)`.",
    "RowNorm": "The norm of every row is at most this, as in `RowNorm(L2, 5)`.",
}
"""What else may be public of a dataset, after its metric."""

TYPES = {
    "Real": "A number. Two inputs may differ by any amount.",
    "Integer": "A whole number.",
    "Data": "A number of a record. Two records either are the same or differ by 1, whatever their values.",
    "Float64": "A number, like `Real`.",
    "Float32": "A number, like `Real`.",
    "Int": "A whole number, like `Integer`.",
    "Int64": "A whole number, like `Integer`.",
    "Bool": "`true` or `false`.",
    "Any": "A value of any type.",
    "Vector": "A vector, as in `Vector{<:Real}`.",
    "Matrix": "A matrix with one record in each row, as in `Matrix{<:Data}`.",
    "Tuple": "A tuple, as in `Tuple{Real, Integer}`.",
    "DMModel": "A model that is trained.",
    "DMGrads": "A gradient of a model.",
    "Function": "A function.",
    "PrivacyFunction": "A function whose result is private: one that is declared `Priv()`.",
    "MetricVector": "A vector measured in a norm, as in `MetricVector(Real, L2)`.",
    "MetricMatrix": "A matrix whose rows are measured in a norm, as in `MetricMatrix(Data, L2)`.",
    "MetricGradient": "A gradient measured in a norm, as in `MetricGradient(Real, L2)`.",
}

MARKS = {
    "Static": "Marks a parameter as public, as in `eps::Static()` or `k::Static(Integer)`: nothing protects it.",
    "Priv": "Claims that a function is private, as in `f(x::Real) :: Priv()`: every parameter gets a finite bound.",
    "Bounded": "Numbers between public bounds, as in `Bounded(Real, 0, 100)`.",
    "BlackBox": "Marks a function whose body is not looked into: its user says what is known of it.",
}
"""What is written like a call where a type stands."""

METRICS = frozenset({"MetricVector", "MetricMatrix", "MetricGradient"})
"""Types that are written with a type of numbers and a norm in brackets."""


RUNNING = frozenset(
    {
        *("include", "eval", "evalfile", "include_string", "ccall"),
        *("setglobal!", "swapglobal!", "modifyglobal!", "replaceglobal!", "setglobalonce!"),
        *("setproperty!", "swapproperty!", "modifyproperty!", "replaceproperty!"),
    }
)
"""Functions of Julia that run other text, or give a name that they are told a value."""


def is_of_language(name: str) -> bool:
    """Whether a name belongs to the language: a builtin, a norm, a type, a value, or what runs other text."""
    from dp_lsp.builtins import find  # few sessions ask, and it takes a while to load

    words = (VALUES, RUNNING, NORMS, DATASETS, DESCRIPTORS, TYPES, MARKS)
    return any(name in each for each in words) or find(name) is not None
