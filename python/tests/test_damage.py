"""A damaged store gives the numbers that were written, or is refused in one line."""

import concurrent.futures
import random
import shutil

import numpy
import pytest

import ldpbench

CONFIG = {"name": "small", "seed": 3, "repetitions": 6, "epsilon": [0.5, 1], "datasets": [{"type": "zipf", "s": 1.5, "d": 16, "n": 5000}],
          "oracles": ["olh", "grr"], "methods": ["base", "norm_sub"], "queries": ["full_domain", {"type": "top_k", "k": [2, 4]}]}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return ldpbench.run(CONFIG, tmp_path_factory.mktemp("damage") / "out")


def read(folder, row):
    """All tables, or the repetitions of a row; None: refused."""
    try:
        results = ldpbench.results(folder)
        return results.samples("mse", row).tolist() if row is not None else {name: results[name].to_csv() for name in results}
    except ldpbench.BadInput as error:
        assert "\n" not in str(error) and str(error)
        return None


def test_flipped_bits(kept, tmp_path):
    good = (kept.folder / "store.sqlite").read_bytes()
    places, draw = [i for i, byte in enumerate(good) if byte], random.Random(1)
    right = {row: read(kept.folder, row) for row in (None, 0, 23)}

    def flipped(number):
        folder, place, row = tmp_path / str(number), draw.choice(places), (None, None, 0, 23)[number % 4]
        shutil.copytree(kept.folder, folder)
        (folder / "store.sqlite").write_bytes(good[:place] + bytes([good[place] ^ 1 << draw.randrange(8)]) + good[place + 1:])
        found = read(folder, row)
        shutil.rmtree(folder)
        assert found is None or found == right[row], f"byte {place}"
        return found is None

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        refused = list(pool.map(flipped, range(150)))
    assert 30 < sum(refused) < 150


def test_a_folder_without_run_json(tmp_path):
    with pytest.raises(ldpbench.BadInput, match="found no run.json"):
        ldpbench.results(tmp_path)


def test_samples_are_asked_for_by_names_that_exist(kept):
    assert numpy.isclose(kept.samples("mse", 5).mean(), kept["mse"]["mse"][5])
    for given, message in ((("mse", 24), "expected an integer from 0 to 23"), (("none", 0), "expected a table"),
                           (("mse", 0, "x"), "no repetitions are stored for 'x'"), (("mse", 1.5), "row: expected an integer"),
                           (("n_equivalent", 0), "no repetitions")):
        with pytest.raises(ldpbench.BadInput, match=message):
            kept.samples(*given)
    with pytest.raises(KeyError):
        kept["none"]
