#!/usr/bin/env python3
"""Clients as published code has them, some with its mistakes, to try ldpbench audit on: reports, a line each.

usage: client.py NAME VALUE [--d D] [--epsilon E] [--reports N] [--seed S]

  oue          optimised unary encoding: D bits
  oue-uncleared    the same, the true bit not cleared before it is set with probability p
  sue, sue-uncleared    the same of symmetric unary encoding
  subset       subset selection: k values in random order
  subset-redraw    the same, a set that is to be without the true value may draw it
  subset-first     the same, the true value first where it is in the set, not shuffled
  laplace      D numbers: the value's bits with Laplace noise of scale 2 / E
  laplace-half the same with noise of scale 1 / E
"""
import argparse
import math
import random


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=CLIENTS)
    parser.add_argument("value", type=int)
    parser.add_argument("--d", type=int, default=16)
    parser.add_argument("--epsilon", type=float, default=1)
    parser.add_argument("--reports", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    coins = random.Random(f"{given.seed} {given.name} {given.value}")
    for _ in range(given.reports):
        print(*CLIENTS[given.name](coins, given.value, given.d, given.epsilon))


if __name__ == "__main__":
    main()
