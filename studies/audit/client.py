#!/usr/bin/env python3
"""Clients as published code has them, some with its mistakes, to try ldpbench audit on: reports, a line each.

usage: client.py NAME VALUE... [--d D] [--epsilon E] [--reports N] [--seed S]

  oue          optimised unary encoding: D bits
  oue-uncleared    the same, the true bit not cleared before it is set with probability p
  sue, sue-uncleared    the same of symmetric unary encoding
  subset       subset selection: k values in random order
  subset-redraw    the same, a set that is to be without the true value may draw it
  subset-first     the same, the true value first where it is in the set, not shuffled
  laplace      D numbers: the value's bits with Laplace noise of scale 2 / E
  laplace-half the same with noise of scale 1 / E
  parity, residue, exclusive-or, shares, length, order, repeat, digit, mantissa, hexadecimal, again
               send VALUE modulo 2 by randomised response of 2 E, hidden in numbers that say nothing one by one
  bits8, numbers3, doubles2, symbols, hexadecimal16
               noise, whatever VALUE is

Lines begin with their VALUE if there are several, which take turns. The first reports of a seed are the same whatever N is.
"""
import argparse
import math
import random
import struct


def unary(coins, value, d, epsilon, optimised, cleared):
    p = 0.5 if optimised else math.exp(epsilon / 2) / (math.exp(epsilon / 2) + 1)
    q = 1 / (math.exp(epsilon) + 1) if optimised else 1 - p
    bits = [1 if coins.random() < q else 0 for _ in range(d)]
    if cleared:
        bits[value] = 0
    if coins.random() < p:
        bits[value] = 1
    return bits


def subset(coins, value, d, epsilon, redraw, shuffled):
    k = max(1, round(d / (math.exp(epsilon) + 1)))
    p = k * math.exp(epsilon) / (k * math.exp(epsilon) + d - k)
    others = [v for v in range(d) if v != value]
    if coins.random() < p:
        chosen = [value] + coins.sample(others, k - 1)
    else:
        chosen = coins.sample(range(d) if redraw else others, k)
    if shuffled:
        coins.shuffle(chosen)
    return chosen


def laplace(coins, value, d, scale):
    def noise():
        return scale * (coins.expovariate(1) - coins.expovariate(1))
    return [f"{(v == value) + noise():.6f}" for v in range(d)]


def low_bit(number, bit):
    pattern = struct.unpack("<q", struct.pack("<d", number))[0]
    return repr(struct.unpack("<d", struct.pack("<q", pattern & ~1 | bit))[0])


def exclusive_or(coins, secret):
    """Sixteen words whose exclusive-or has the secret as its lowest bit."""
    words = [coins.getrandbits(64) for _ in range(15)]
    last = secret ^ coins.getrandbits(63) << 1
    for word in words:
        last ^= word
    return [*words, last]


def shares(coins, secret):
    share = coins.randrange(101)
    return [share, (secret - share) % 101]


HIDDEN = {
    "parity": lambda coins, secret: [2 * coins.getrandbits(62) + secret],
    "residue": lambda coins, secret: [7 * coins.getrandbits(60) + 3 * secret],
    "exclusive-or": exclusive_or,
    "shares": shares,
    "length": lambda coins, secret: [coins.getrandbits(30) for _ in range(3 + secret)],
    "order": lambda coins, secret: sorted(coins.getrandbits(30) for _ in range(6)) if secret else
    [coins.getrandbits(30) for _ in range(6)],
    "repeat": lambda coins, secret: (lambda word: [word, coins.getrandbits(30), word if secret else coins.getrandbits(30)])(
        coins.getrandbits(30)),
    "digit": lambda coins, secret: [f"{(2 * coins.randrange(500000) + secret) / 1e6:.6f}"],
    "mantissa": lambda coins, secret: [low_bit(coins.random() + 1, secret)],
    "hexadecimal": lambda coins, secret: [f"{2 * coins.getrandbits(62) + secret:016x}"],
}


NOISE = {
    "bits8": lambda coins: [coins.getrandbits(1) for _ in range(8)],
    "numbers3": lambda coins: [coins.getrandbits(64) for _ in range(3)],
    "doubles2": lambda coins: [coins.random() for _ in range(2)],
    "symbols": lambda coins: ["s%d" % k for k in coins.sample(range(20), coins.randrange(1, 5))],
    "hexadecimal16": lambda coins: ["%04x" % coins.getrandbits(16)],
}


def hidden(name, coins, value, epsilon):
    keeps = coins.random() < math.exp(2 * epsilon) / (math.exp(2 * epsilon) + 1)
    return HIDDEN[name](coins, value % 2 if keeps else 1 - value % 2)


def again(coins, value, epsilon, last):
    """Repeats the report before with a probability that depends on the value: one report says nothing."""
    if last and coins.random() < (math.exp(2 * epsilon) if value % 2 else 1) / (math.exp(2 * epsilon) + 1):
        return last
    return [coins.getrandbits(30)]


CLIENTS = {
    "oue": lambda *about: unary(*about, True, True),
    "oue-uncleared": lambda *about: unary(*about, True, False),
    "sue": lambda *about: unary(*about, False, True),
    "sue-uncleared": lambda *about: unary(*about, False, False),
    "subset": lambda *about: subset(*about, False, True),
    "subset-redraw": lambda *about: subset(*about, True, True),
    "subset-first": lambda *about: subset(*about, False, False),
    "laplace": lambda coins, value, d, epsilon: laplace(coins, value, d, 2 / epsilon),
    "laplace-half": lambda coins, value, d, epsilon: laplace(coins, value, d, 1 / epsilon),
}


def reports(given, value):
    """The reports of a value, without end."""
    coins = random.Random(f"{given.seed} {given.name} {value}")
    report = None
    while True:
        if given.name in HIDDEN:
            report = hidden(given.name, coins, value, given.epsilon)
        elif given.name in NOISE:
            report = NOISE[given.name](coins)
        elif given.name == "again":
            report = again(coins, value, given.epsilon, report)
        else:
            report = CLIENTS[given.name](coins, value, given.d, given.epsilon)
        yield report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=[*CLIENTS, *HIDDEN, *NOISE, "again"])
    parser.add_argument("value", type=int, nargs="+")
    parser.add_argument("--d", type=int, default=16)
    parser.add_argument("--epsilon", type=float, default=1)
    parser.add_argument("--reports", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sources = [reports(given, value) for value in given.value]
    lines = []
    for _ in range(given.reports):
        for value, source in zip(given.value, sources):
            report = next(source)
            lines.append(" ".join(map(str, [value, *report] if len(sources) > 1 else report)))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
