"""Champion against candidate on held-out tasks: better overall, worse nowhere that matters."""

from coevolve.gate.compare import Evaluate, Fresh, gate
from coevolve.gate.evidence import OVERALL, figures
from coevolve.gate.fingerprint import Fingerprints, fingerprint, fingerprints, leaked
from coevolve.gate.rule import GateRule, PairedResult
from coevolve.gate.statistics import holm, paired_interval, sign_test, wilson
from coevolve.gate.verdict import decide

__all__ = [
    "OVERALL",
    "Evaluate",
    "Fingerprints",
    "Fresh",
    "GateRule",
    "PairedResult",
    "decide",
    "figures",
    "fingerprint",
    "fingerprints",
    "gate",
    "holm",
    "leaked",
    "paired_interval",
    "sign_test",
    "wilson",
]
