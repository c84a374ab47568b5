"""Results as matplotlib Axes."""

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

from .errors import MachineError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .results import Results

_LABELS = {"epsilon": "privacy budget ε", "n": "users n", "d": "domain size d", "mse": "mean squared error", "parameter": "parameter"}


def draw(results: "Results", ax: Optional["Axes"], at: Mapping[str, Any]) -> "Axes":
    """Draws the mean errors of the points with these keys over the number with the most values; by default of the first query."""
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise MachineError('plot: Axes need matplotlib, which is not installed (pip install matplotlib); plot("svg") does not') from None
    found = results._at(at)
    decision, first, _ = found[0]
    found = [one for one in found if one[1].get("query") == first.get("query") and one[0]["table"] == decision["table"]]
    points = [point for _, point, _ in found]
    numbers = {key: len({point[key] for point in points}) for key, value in first.items()
               if isinstance(value, (int, float)) and not isinstance(value, bool)}
    x = max(numbers, key=lambda key: (numbers[key], key == "epsilon"))
    ax = ax or pyplot.subplots()[1]
    told = [key for key in points[0] if key not in (x, "candidates", "take", "decided", "title", "low", "high") and
            len({point[key] for point in points}) > 1]
    curves: Dict[str, List[Tuple[float, float, float]]] = {}
    for _, point, rows in found:
        for row in rows:
            name = ", ".join([row["candidate"]] + [f"{key} = {point[key]}" for key in told])
            curves.setdefault(name, []).append((point[x], row["mean"], row["stderr"] or 0))
    for name, line in curves.items():
        ax.errorbar(*zip(*[(a, b) for a, b, _ in sorted(line)]), yerr=[c for _, _, c in sorted(line)], marker="o",
                    markersize=3, capsize=2, label=name)
    ax.set_xlabel(_LABELS.get(x, x))
    ax.set_ylabel(_LABELS.get(decision["measure"], decision["measure"]))
    if all(row["mean"] > 0 for _, _, rows in found for row in rows):
        ax.set_yscale("log")
    ax.legend(fontsize="small")
    return ax
