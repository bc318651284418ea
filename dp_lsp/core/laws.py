"""The laws of the language: the rules that belong to no builtin. Each step that leads to a bound names its rule, a
law or a builtin, and here a person can read what the law says and why it holds."""

from __future__ import annotations

from dp_lsp.named import NamedTuple


class Law(NamedTuple):
    """How a step by this rule is named, ``{}`` standing for what it is about; what the rule says; and where that is
    proved, or the inequality it follows from."""

    step: str
    words: str
    source: str


PARAMETER = "parameter"
PERSON = "person"
PERSONS = "persons"
A_PERSON = "a whole person"
IN_LINF = "an entry of a vector"
WHOLE_PERSONS = "whole persons"
COUNTED_AS = "of another metric"
SMALLER_NORM = "in a smaller norm"
LINEAR = "linear"
FURTHEST = "furthest"
TURNS = "turns"
NAME = "name"
TUPLE = "tuple"
ITEMS = "items of a tuple"
BRANCH = "branch"
CONDITION = "condition"
CAP = "cap"
ROUNDED = "rounded"
RECORDS = "sum over records"
LARGEST = "largest"
LOOP = "loop"
OWN_ROW = "row of a round"
CALL = "call"
BLACK_BOX = "black box"
DRAWN = "drawn value"
FAILURE = "failure"
NOTHING_HOLDS = "no claim"

UNPROTECTED = "unprotected"
ROWS_READ = "rows that are there or not"
CHARGED = "call of a private function"
SEQUENCE = "one after the other"
CHOICE = "one of several"
SAMPLING = "sampling"
SAMPLING_AGAIN = "sampling with replacement"
SAMPLING_EACH = "Poisson sampling"
PARALLEL = "parallel composition"
PLACES = "places read once"
DISJOINT = "disjoint parts"
ENTRIES = "different entries"
TOGETHER = "noise on linear functions"
BASIC = "basic"
ROUNDS = "rounds of a loop"
ADVANCED = "advanced"
TOTAL = "total"
PUBLISHED = "published"

_FUZZ = "Reed and Pierce 2010, Distance Makes the Types Grow Stronger"
_DWORK_ROTH = "Dwork and Roth 2014, The Algorithmic Foundations of Differential Privacy"

LAWS = {
    PARAMETER: Law(
        "{}",
        "What enters moves by its own distance: by 1 when it moves by 1.",
        "The definition of sensitivity.",
    ),
    PERSON: Law(
        "what one person contributes",
        "A person contributes up to k records, so the dataset moves by up to k steps when one person's data change.",
        "The distance of datasets counts their records: group privacy, by the sensitivity.",
    ),
    PERSONS: Law(
        "counted in persons",
        "What is said of a function's dataset is about one person with up to k records, so n records are n/k persons.",
        "A person is k steps, and a bound of k steps is k times that of one.",
    ),
    A_PERSON: Law(
        "one person at least",
        "Some of what is said of a function's dataset holds for a whole person only: that a truth value cannot change "
        "twice says nothing of a part of a person.",
        "Some of a person's records are data of a person, too.",
    ),
    IN_LINF: Law(
        "of which entries are read, measured in LInf",
        "What moves several entries of a vector moves none of them by more than the vector in LInf, in whichever norm "
        "the vector is measured elsewhere.",
        "The largest of the distances of entries is that of the vector in LInf.",
    ),
    WHOLE_PERSONS: Law(
        "whole persons, rounded up",
        "Some of what is said of a function's dataset holds for a whole number of persons only: one more record of a "
        "person may move a result further than the part of a person that it is.",
        "The steps are those of so many people, one after the other, the last of whom may make fewer: the triangle "
        "inequality.",
    ),
    COUNTED_AS: Law(
        "counted as records that are added and removed",
        "Replacing a record removes one and adds one: two steps to a function of datasets whose number of records is "
        "private.",
        "Immediate from the metrics of datasets.",
    ),
    SMALLER_NORM: Law(
        "in a smaller norm",
        "What is measured in L1 is no further apart in L2, and what is measured in L2 no further in LInf.",
        "max |xᵢ| ≤ √(Σ xᵢ²) ≤ Σ |xᵢ|: the square of the sum holds all xᵢ², and nothing negative besides.",
    ),
    LINEAR: Law(
        "a linear function of what it is made of",
        "What is added up, taken away and multiplied by public numbers counts as often as it does in the end: equal "
        "parts cancel, and entries of one vector count together, by the norm of their coefficients.",
        "‖Ax - Ay‖ ≤ ‖A‖·‖x - y‖, by the definition of the norm of a linear map; Horn and Johnson 2013, Matrix "
        "Analysis, 5.6.",
    ),
    FURTHEST: Law(
        "as far as the one that moves furthest",
        "The largest, or the smallest, of several numbers moves no further than the one that moves furthest.",
        "Where no number moves by more than d, the largest of them lies within d of where it was.",
    ),
    TURNS: Law(
        "linear between its turns",
        "An absolute value, the largest or smallest of some numbers, or a number that is moved into a range is one "
        "linear function of what it is made of or another one: what is made of it moves no further than the one that "
        "moves furthest.",
        "On the straight line between two inputs it is continuous, and one of them on each of finitely many pieces.",
    ),
    NAME: Law("the same value", "Another name for a value moves as far as the value.", "The identity."),
    TUPLE: Law(
        "tuple",
        "A tuple moves by the sum of what its items move.",
        f"The distance of tuples is the sum of those of their items; {_FUZZ}.",
    ),
    ITEMS: Law(
        "the item that counts most",
        "What moves with items of a tuple, with some further than with others, moves with the tuple as far as with the "
        "item that counts most.",
        "The distances of the items add up to d: Σ sᵢdᵢ ≤ max(sᵢ)·Σ dᵢ.",
    ),
    BRANCH: Law(
        "branch, the larger side",
        "Whichever side is taken, the result moves by at most the larger of the two.",
        "Where the condition is the same in two runs, both take the same side, and its bound holds.",
    ),
    CONDITION: Law(
        "condition",
        "A condition that moves lets the result jump from one side to the other, however far apart they are: it has no "
        "bound (∞), or that of the two values that are furthest apart.",
        "A function with a jump has no Lipschitz constant.",
    ),
    CAP: Law(
        "capped: no two results are further apart",
        "No two results are further apart than this, and two different values of what moves are at least 1 apart.",
        "d(f(x), f(y)) ≤ D ≤ D·d(x, y) for all x ≠ y, where D is the diameter of the results.",
    ),
    ROUNDED: Law(
        "rounded: so many whole numbers lie in between",
        "What moves by at most s where one record of a dataset does is moved past at most s whole numbers, rounded up, "
        "or one more than s rounded down where it is rounded to the nearest.",
        "⌊y⌋ - ⌊x⌋ < y - x + 1, and the nearest whole number is at most 1/2 away; datasets differ in whole records.",
    ),
    RECORDS: Law(
        "what one record adds",
        "This adds something up for each record of a dataset, so a record that comes or goes moves it by what that "
        "adds, and one that takes the place of another by the difference of what both do, case by case.",
        "Σ g(r) over two datasets that differ in one record: all other terms cancel.",
    ),
    LARGEST: Law(
        "the largest that it can be",
        "A public number that may be another one in each run, round or call counts as the largest that it can be, for "
        "all that does not know which it is.",
        "No value of a formula lies beyond its ends in the arithmetic of intervals; Moore 1966, Interval Analysis.",
    ),
    LOOP: Law(
        "loop",
        "What a loop starts with counts as often as all its rounds multiply it, and what a round reads as often as the "
        "rounds after it do: over k rounds that each multiply by s, s^k and 1 + s + … + s^(k-1). Variables that "
        "influence each other do so by a matrix and its powers.",
        "The Lipschitz constant of a composition is at most the product of those of its parts, and the triangle "
        f"inequality over the rounds; {_FUZZ}.",
    ),
    OWN_ROW: Law(
        "what only this round reads",
        "A row at the index of a loop is read in one round, and so counts by its own distance. The distances of all "
        "rows add up to that of their matrix; those of the entries of a vector to at most once, √k times or k times "
        "that of the vector in L1, L2 or LInf.",
        "The distance of matrices is the sum over their rows, that of vectors the norm of those of the entries.",
    ),
    CALL: Law(
        "call of {}",
        "A call moves by the sum of what its arguments move, each times the sensitivity of the function in it.",
        f"The Lipschitz constant of a composition is at most the product of those of its parts; {_FUZZ}.",
    ),
    BLACK_BOX: Law(
        "black box {}",
        "Nothing is known of what a black box does, so it has no bound (∞).",
        "No Lipschitz constant is known.",
    ),
    DRAWN: Law(
        "a drawn value leaves the block",
        "A value that was drawn tells which rows were drawn: unless a mechanism hides it, it has no bound (∞).",
        "Two runs may draw different rows, which may be any distance apart.",
    ),
    FAILURE: Law(
        "whether {} fails can be seen",
        "Whether a run fails can be seen, so what decides that has no bound (∞).",
        "Failing and not failing are two results with nothing between them: a function with a jump.",
    ),
    NOTHING_HOLDS: Law(
        "a condition fails",
        "A condition of this function is known to fail, so no bound is claimed.",
        "From what is false nothing follows.",
    ),
    UNPROTECTED: Law(
        "not protected",
        "What leaves without noise, or decides what is released, is not protected: its cost counts as ∞.",
        "The definition of differential privacy.",
    ),
    ROWS_READ: Law(
        "how many rows there are is private",
        "Where a record is there or not, how many rows there are is private, and what is known of data of one size "
        "holds no more: nothing is guaranteed for what is used other than to draw rows of it, each with a probability "
        "(∞).",
        "The definition of differential privacy, for data of which one has a record more.",
    ),
    CHARGED: Law(
        "call of {}",
        "A call costs what the function costs for a change as large as that of its argument: what moves that by d "
        "moves what its mechanisms hide by d times as much. Where more is known of it than which mechanisms it runs, "
        "and how often, but no number for d, d must be at most 1.",
        "The definition of differential privacy: it holds for a change of at most 1; larger ones by group privacy, "
        f"{_DWORK_ROTH}, Theorem 2.2, and others by what each mechanism costs at its distance.",
    ),
    SEQUENCE: Law(
        "one after the other",
        "What several releases cost adds up, also if later ones depend on what earlier ones released.",
        f"{_DWORK_ROTH}, Theorem 3.16; adaptive: Dwork, Rothblum and Vadhan 2010.",
    ),
    CHOICE: Law(
        "one of them, the largest",
        "Of several releases one is made, chosen by public values: the largest ε and the largest δ are enough.",
        "Both runs make the same choice, and the bound of each holds.",
    ),
    SAMPLING: Law(
        "{} drawn of {} rows",
        "k of r rows, drawn without replacement and in random order: with q = k/r, ε becomes ln(1 + q(exp(ε) - 1)) and "
        "δ becomes qδ.",
        "Balle, Barthe and Gaboardi 2018, Privacy Amplification by Subsampling, Theorem 9.",
    ),
    SAMPLING_AGAIN: Law(
        "{} of {} rows, drawn with replacement",
        "k draws, each of any of r rows: with ε₁ = ln(1 + (exp(ε) - 1)/r), ε becomes kε₁ and δ becomes δ(exp(kε₁) - "
        "1)/(exp(ε) - 1).",
        "Each draw hits a changed row with probability 1/r, which is drawing one row without replacement; k of them "
        f"follow each other as the steps of a group do ({_DWORK_ROTH}, 2.2).",
    ),
    SAMPLING_EACH: Law(
        "each row drawn with probability {}",
        "Each row is drawn with probability q by itself: ε becomes ln(1 + q(exp(ε) - 1)) and δ becomes qδ.",
        "Balle, Barthe and Gaboardi 2018, Privacy Amplification by Subsampling, Theorem 8.",
    ),
    PARALLEL: Law(
        "every record lies in one part, and all parts together move by {}",
        "What is run on each part of a dataset, in which every record lies in one part, costs what it costs one part "
        "that makes all the steps; where that is not the most, the steps are spread over the parts in the way that "
        "costs most.",
        "McSherry 2009, Privacy Integrated Queries, Theorem 4. A change of k steps moves the parts by k together; what "
        "is done with the others is the same.",
    ),
    PLACES: Law(
        "each round reads a place of its own, and all places together move by {}",
        "Where each round of a loop reads a row or an entry of its own, or the records that a condition on its number "
        "keeps, and all that goes from round to round was released, a round costs only who differs in its place: of "
        "records that are replaced each counts once, and of records that conditions keep each in as many rounds as may "
        "keep it, in those of both if one is replaced; "
        "distances that sum up to d, with Laplace and Gaussian noise alone, cost as much as d in one round, and "
        "so do those whose squares sum up to d², with Gaussian noise alone; with Laplace noise alone k of these cost "
        "√k times as much, as their sum is at most √k·d.",
        "Parallel composition (McSherry 2009, Privacy Integrated Queries, Theorem 4), where which rounds differ is "
        "settled by the two inputs: given what was released before, the others do the same on both. Shifts of several "
        "coordinates by Laplace noise: Dong, Roth and Su 2019, Theorem 2.14; by Gaussian noise: ibid., Corollary 3.3.",
    ),
    DISJOINT: Law(
        "the dearest of all that one change of a record moves together",
        "What is released of a dataset costs somebody what his record moves: of disjoint filters it is in one, and "
        "where it takes the place of another, in two at most. Sums move by what it adds to each of them, all together. "
        "The dearest of all records, or of all pairs of records, counts.",
        "Parallel composition: McSherry 2009, Privacy Integrated Queries, Theorem 4; costs by record: Feldman and "
        "Zrnic 2021, Individual Privacy Accounting via a Rényi Filter.",
    ),
    ENTRIES: Law(
        "the dearest of all entries, or rows, that are released",
        "Where each release reads other entries of a vector, or rows of a matrix, and is made once, a change is spread "
        "over them: distances that sum up to d, with Laplace or with Gaussian noise alone, cost no more than d where "
        "it costs most, and so do those whose squares sum up to d², with Gaussian noise alone.",
        "Shifts of several coordinates by Laplace noise: Dong, Roth and Su 2019, Theorem 2.14; by Gaussian noise: "
        "ibid., Corollary 3.3. Larger noise can be made of smaller noise.",
    ),
    TOGETHER: Law(
        "all this noise together, as the first alone where what it hides is {} times as far apart",
        "Laplace noise of scales bₖ is added to linear functions fₖ of one vector or matrix, to each once. A change d "
        "shifts it by |fₖ(d)|/bₖ, and all these sum up to at most the norm of all fₖ/bₖ as one map to L1. Together "
        "they cost no more than one of them that shifts by that: k entries in L2, with noise of one scale, cost √k "
        "times what one costs.",
        "Horn and Johnson 2013, Matrix Analysis, 5.6: norms of matrices; Dong, Roth and Su 2019, Theorem 2.14: shifts "
        "of several coordinates by Laplace noise.",
    ),
    BASIC: Law("{} rounds, basic composition", "k rounds of (ε, δ) cost (kε, kδ).", f"{_DWORK_ROTH}, Corollary 3.15."),
    ROUNDS: Law(
        "{} rounds, in the account of advanced composition",
        "A round of steps of ε₁, ε₂ … adds Σεᵢ·tanh(εᵢ/2) to T, Σεᵢ² to V, and its δ: k rounds add k times as much.",
        "Kairouz, Oh and Viswanath 2015, The Composition Theorem for Differential Privacy, Theorem 3.5.",
    ),
    TOTAL: Law(
        "advanced composition, with δ' = {}: 2√(2V ln(1/δ')), if that is at most 8 ln(1/δ'), and what is made once",
        "Where 2√(2V ln(1/δ')) is at most 8 ln(1/δ'), steps of (ε₁, δ₁), (ε₂, δ₂) … cost "
        "(2√(2V ln(1/δ')), Σδᵢ + δ') for every δ' between 0 and 1, with V = Σεᵢ².",
        "Advanced composition: as tanh(x) <= x, T is at most V/2, which is at most √(2V ln(1/δ')) there.",
    ),
    ADVANCED: Law(
        "advanced composition, with δ' = {}: T + √(2V ln(1/δ')), and what is made once",
        "Steps of (ε₁, δ₁), (ε₂, δ₂) … cost (T + √(2V ln(1/δ')), Σδᵢ + δ') for every δ' between 0 and 1, "
        "with T = Σεᵢ·tanh(εᵢ/2) and V = Σεᵢ².",
        "Kairouz, Oh and Viswanath 2015, The Composition Theorem for Differential Privacy, Theorem 3.5: given "
        "the past, the loss of step i lies between -εᵢ and εᵢ, its mean is at most εᵢ·tanh(εᵢ/2); Azuma and Hoeffding.",
    ),
    PUBLISHED: Law(
        "{} rounds, the published formula",
        "The formulas of the published checker: 2ε√(2k ln(1/δ')) for loops and 2qε for samples. They do not hold in "
        "general.",
        "The published checker.",
    ),
}
