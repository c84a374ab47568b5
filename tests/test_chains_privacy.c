/* Chains of reports over rounds: what they protect, by enumeration, and outside numbers. */
#include "chains.h"
#include "protocol/attack_success.h"
#include "protocol/bits.h"
#include "quick.h"
#include "random/coin.h"
#include "setup.h"
#include "statistics.h"

/* ---- Privacy, by enumeration ---- */

enum { T_MAX = 6, STATES = 1 << 12 };

static size_t power(size_t base, size_t exponent)
{
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/* Whether the memos are bits. */
static bool has_bits(const struct ldp_rounds *rounds)
{
    return rounds->memo.oracle == ldp_oracle_find("sue") || rounds->memo.oracle == ldp_oracle_find("oue");
}

/* P(y | x) of the reports of one bit: those of value `bit`, y its T bits, x T values of d. */
static double of_bit(const struct ldp_rounds *rounds, size_t d, size_t t, size_t x, size_t bit, size_t y)
{
    double all = 1;
    for (size_t key = 0; key < d; key++) {
        double one = key == bit ? rounds->p1 : rounds->q1, zero = 1 - one;
        size_t rest = x;
        for (size_t i = 0; i < t; i++, rest /= d)
            if (rest % d == key) {
                one *= y >> i & 1 ? rounds->p2 : 1 - rounds->p2;
                zero *= y >> i & 1 ? rounds->q2 : 1 - rounds->q2;
            }
        all *= one + zero;
    }
    return all;
}

/* P(y | x) of symbols, both sequences of m. */
static double of_symbols(const struct ldp_rounds *rounds, size_t m, size_t t, size_t x, size_t y)
{
    const double p1 = rounds->p1, q1 = (1 - p1) / ((double)m - 1);
    double all = 1;
    for (size_t key = 0; key < m; key++) {
        double sum = 0;
        for (size_t memo = 0; memo < m; memo++) {
            double law = memo == key ? p1 : q1;
            size_t values = x, reports = y;
            for (size_t i = 0; i < t; i++, values /= m, reports /= m)
                if (values % m == key)
                    law *= reports % m == memo ? rounds->p2 : rounds->q2;
            sum += law;
        }
        all *= sum;
    }
    return all;
}

/* The largest log ratio of the reports of two sequences, all pairs; of those that stay. */
static double enumerate(const struct ldp_rounds *rounds, size_t m, size_t t, double *unchanged_)
{
    static double law[STATES * STATES];
    const bool bits = has_bits(rounds);
    const size_t sequences = power(m, t), reports = bits ? power(2, t) : sequences, parts = bits ? m : 1,
                 constant = (sequences - 1) / (m - 1);
    double most = 0;
    cr_assert_leq(sequences * reports * parts, (size_t)STATES * STATES);
    for (size_t x = 0; x < sequences; x++)
        for (size_t part = 0; part < parts; part++)
            for (size_t y = 0; y < reports; y++)
                law[(x * parts + part) * reports + y] =
                    log(bits ? of_bit(rounds, m, t, x, part, y) : of_symbols(rounds, m, t, x, y));
    *unchanged_ = 0;
    for (size_t a = 0; a < sequences; a++)
        for (size_t b = 0; b < sequences; b++) {
            double ratio = 0;
            for (size_t part = 0; part < parts; part++) {
                double of_part = -INFINITY;
                for (size_t y = 0; y < reports; y++)
                    of_part =
                        fmax(of_part, law[(a * parts + part) * reports + y] - law[(b * parts + part) * reports + y]);
                ratio += of_part;
            }
            most = fmax(most, ratio);
            if (a % constant == 0 && b % constant == 0)
                *unchanged_ = fmax(*unchanged_, ratio);
        }
    return most;
}

static void check_privacy(const struct ldp_rounds *rounds, size_t m, size_t t)
{
    struct ldp_protection stated_;
    double kept;
    const double most = enumerate(rounds, m, t, &kept);
    ldp_rounds_protection(rounds, &stated_);
    cr_expect_float_eq(stated_.unchanged, kept, 1e-9, "%s, m = %zu, T = %zu: %.12g for %.12g", rounds->chain->name, m,
                       t, stated_.unchanged, kept);
    cr_expect(stated_.sequence_low <= most + 1e-9 && most <= stated_.sequence_high + 1e-9,
              "%s, m = %zu, T = %zu: %g is not from %g to %g", rounds->chain->name, m, t, most, stated_.sequence_low,
              stated_.sequence_high);
    if (t == 1)
        cr_expect_float_eq(stated_.report, kept, 1e-9, "%s, m = %zu", rounds->chain->name, m);
}

Test(chains, privacy_by_enumeration, SLOW)
{
    static const double budgets[][2] = {{2, 1}, {4, 1.6}, {1, 0.5}};
    static const size_t sizes[][2] = {{2, 1}, {3, 1}, {5, 1}, {2, 2}, {3, 2}, {2, 3},
                                      {3, 3}, {4, 3}, {2, 4}, {2, 5}, {3, 4}, {2, 6}};
    for (size_t c = 0; ldp_chains[c]; c++)
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                const size_t m = sizes[i][0], t = sizes[i][1];
                struct ldp_chain_spec spec = default_spec(ldp_chains[c]);
                const bool hashed = strcmp(spec.chain->name, "loloha") == 0;
                spec.param[0] = hashed ? (double)m : spec.param[0];
                const struct ldp_rounds rounds = rounds_with(spec, hashed ? 64 : m, t, budgets[b][0], budgets[b][1]);
                if (rounds.memo.oracle && rounds.p2 < 1 && (b == 0 || t < 4))
                    check_privacy(&rounds, m, t);
            }
    /* What one report of the published chains really has. */
    const struct ldp_rounds published[] = {named("l_grr", NAN, true, 5, 1, 2, 1),
                                           named("loloha", 5, true, 64, 1, 2, 1)};
    for (size_t i = 0; i < 2; i++)
        check_privacy(&published[i], 5, 1);
}

/* The coins of the second round are rounded towards privacy, beyond the errors of doubles. */
Test(chains, coins_are_no_less_private)
{
    for (size_t c = 0; ldp_chains[c]; c++)
        for (double epsilon = 1e-6; epsilon < 100; epsilon *= 3) {
            const struct ldp_rounds rounds = rounds_of(ldp_chains[c], 10, 5, epsilon, epsilon / 2);
            struct ldp_protection stated_;
            ldp_rounds_protection(&rounds, &stated_);
            cr_expect(stated_.report <= epsilon && rounds.report.s1 > 0 && isfinite(rounds.report.s1), "%s, %g: %g",
                      rounds.chain->name, epsilon, rounds.report.s1);
        }
}

/* The second round's bits: a memo's 1 is reported as 1 less often than p2 says, a 0 more often than q2 says. */
Test(chains, coins_of_bits_are_no_less_private)
{
    size_t seen = 0;
    for (size_t c = 0; ldp_chains[c]; c++)
        for (double epsilon = 0.01; epsilon < 10; epsilon *= 3) {
            const struct ldp_rounds rounds = rounds_of(ldp_chains[c], 10, 5, epsilon, epsilon / 2);
            const char *const name = rounds.second.oracle ? rounds.second.oracle->name : "";
            if (strcmp(name, "oue") != 0 && strcmp(name, "sue") != 0)
                continue;
            const struct ldp_unary coins = ldp_unary_of(&rounds.second);
            const struct ldp_coin own = ldp_coin_of(rounds.p2), other = ldp_coin_of(rounds.q2);
            cr_expect(coins.own.hi < own.hi && coins.other.hi > other.hi, "%s, %g", rounds.chain->name, epsilon);
            seen++;
        }
    cr_expect_gt(seen, 0);
}

/* ---- Outside numbers: of an independent derivation, checked by enumeration and simulation ---- */

/* The number as it is printed. */
static void expect(double value, const char *printed, const char *what)
{
    cr_expect_float_eq(value, strtod(printed, NULL), statistics_half_digit(printed), "%s: %.8g for %s", what, value,
                       printed);
}

Test(chains, second_rounds)
{
    expect(named("l_sue", NAN, false, 360, 1, 2, 1).p2, ".76500", "l_sue");
    expect(named("l_osue", NAN, false, 360, 1, 2, 1).p2, ".80339", "l_osue");
    expect(named("l_sue", NAN, false, 360, 1, 4, 1.6).p2, ".74944", "l_sue");
    expect(named("l_osue", NAN, false, 360, 1, 4, 1.6).p2, ".84441", "l_osue");
    const struct ldp_rounds oue = named("l_oue", NAN, false, 360, 1, 2, 1),
                            soue = named("l_soue", NAN, false, 360, 1, 2, 1);
    expect(oue.q2, ".08094", "l_oue q2");
    expect(oue.report.s1, "4.4672", "l_oue s1");
    expect(oue.report.tf, "3.6261", "l_oue tf");
    expect(soue.q2, ".07202", "l_soue q2");
    expect(soue.report.s1, "3.8888", "l_soue s1");
    expect(soue.report.tf, "2.1640", "l_soue tf");
    expect(named("l_oue", NAN, false, 360, 1, 4, 1.6).q2, ".06600", "l_oue q2");
    expect(named("l_soue", NAN, false, 360, 1, 4, 1.6).q2, ".09420", "l_soue q2");
    cr_expect_float_eq(named("l_sue", NAN, false, 360, 1, 1e-3, 5e-4).p2, .75, 1e-6, "no cancellation");
}

/* Where both rounds have one shape, a report is that of an oracle at the budget of one report; of the unary chains
 * l_osue has the least variance. */
Test(chains, one_report_is_that_of_an_oracle)
{
    static const struct {
        const char *chain, *oracle;
        double g;
    } rows[] = {{"l_grr", "grr", NAN}, {"l_sue", "sue", NAN}, {"l_osue", "oue", NAN}, {"loloha", "olh", 4}};
    static const double budgets[][2] = {{2, 1}, {4, 1.6}, {0.1, 0.04}};
    static const char *const others[] = {"l_sue", "l_oue", "l_soue"};
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        const double epsilon = budgets[b][0], first = budgets[b][1];
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct ldp_oracle_spec spec = default_oracle(rows[i].oracle);
            if (!isnan(rows[i].g))
                spec.param[0] = rows[i].g;
            const struct ldp_protocol oracle = make_protocol(&spec, 36, first);
            const struct ldp_rounds rounds = named(rows[i].chain, rows[i].g, false, 36, 1, epsilon, first);
            cr_expect_float_eq(rounds.report.s1 / oracle.s1, 1, 1e-9, "%s: %.12g for %.12g", rows[i].chain,
                               rounds.report.s1, oracle.s1);
            cr_expect_float_eq(rounds.report.tf, oracle.tf, 1e-9 * (1 + fabs(oracle.tf)), "%s", rows[i].chain);
        }
        const double least = named("l_osue", NAN, false, 36, 1, epsilon, first).report.s1;
        for (size_t i = 0; i < 3; i++)
            cr_expect(named(others[i], NAN, false, 36, 1, epsilon, first).report.s1 > least, "%s", others[i]);
    }
    const struct ldp_rounds osue = named("l_osue", NAN, false, 36, 1, 2, 1);
    expect(ldp_rounds_variance(&osue, 1, 0, 0), "3.683", "l_osue, f = 0");
    expect(ldp_rounds_variance(&osue, 1, 0, .5), "4.183", "l_osue, f = 1/2");
}

/* One report of the published second rounds, and the variance that this costs. */
Test(chains, published_second_rounds)
{
    static const struct {
        const char *name;
        size_t d;
        double epsilon, first;
        const char *real, *ratio; /* NULL: not in the table */
    } of[] = {
        {"l_grr", 360, 2, .8, ".034", "1255"},   {"l_grr", 360, 2, 1, ".052", "1032"},
        {"l_grr", 360, 5, 2, "1.079", "10.7"},   {"l_grr", 10, 2, 1, ".699", "2.7"},
        {"loloha", 360, 2, 1, ".948", "1.138"},  {"loloha", 360, 4, 2.4, "2.312", NULL},
        {"loloha", 360, 5, 3, "2.921", "1.098"}, {"loloha", 360, 3, 1.5, NULL, "1.125"},
        {"loloha", 360, 4, 2, NULL, "1.096"},    {"loloha", 360, 5, 2, NULL, "1.043"},
    };
    static const double g[][4] = {{2, 1, 3, 4}, {3, 1.5, 4, 5}, {4, 2, 7, 8}, {5, 3, 17, 21}, {5, 2, 8, 8}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const struct ldp_rounds real = named(of[i].name, NAN, true, of[i].d, 1, of[i].epsilon, of[i].first),
                                exact = named(of[i].name, NAN, false, of[i].d, 1, of[i].epsilon, of[i].first);
        if (of[i].real)
            expect(real.report.epsilon, of[i].real, of[i].name);
        if (of[i].ratio)
            expect(real.report.s1 / exact.report.s1, of[i].ratio, of[i].name);
    }
    for (size_t i = 0; i < sizeof g / sizeof *g; i++) {
        cr_expect_eq(named("loloha", NAN, true, 360, 1, g[i][0], g[i][1]).param[0], g[i][2], "published g");
        cr_expect_eq(named("loloha", NAN, false, 360, 1, g[i][0], g[i][1]).param[0], g[i][3], "g");
    }
    /* For two symbols the published formula is right. */
    cr_expect_float_eq(named("l_grr", NAN, true, 2, 1, 2, 1).report.epsilon, 1, 1e-9, "d = 2");
}

Test(chains, budgets)
{
    static const size_t rounds[] = {1, 2, 3, 5, 10};
    static const char *const osue[] = {"1.000", "1.642", "1.899", "1.994", "2.000"},
                             *const sue[] = {"1.000", "1.612", "1.870", "1.987", NULL},
                             *const hashed[] = {"1.000", "1.678", "1.923", "1.997", NULL};
    static const size_t changed[] = {2, 4, 6, 8, 16};
    static const double pair[] = {1.22, 2.58, 3.97, 5.38, 11};
    struct ldp_protection of;
    for (size_t i = 0; i < 5; i++) {
        const struct ldp_rounds chain[] = {named("l_osue", NAN, false, 360, rounds[i], 2, 1),
                                           named("l_sue", NAN, false, 360, rounds[i], 2, 1),
                                           named("loloha", 4, false, 360, rounds[i], 2, 1)};
        const char *const expected[] = {osue[i], sue[i], hashed[i]};
        for (size_t k = 0; k < 3; k++) {
            ldp_rounds_protection(&chain[k], &of);
            if (expected[k])
                expect(of.unchanged, expected[k], chain[k].chain->name);
        }
        /* A sequence that stays beside one that changes once: more than epsilon for each of the two memos. */
        const struct ldp_rounds two = named("loloha", 2, false, 360, changed[i], 2, 1);
        ldp_rounds_protection(&two, &of);
        cr_expect(of.sequence_low >= pair[i] * .999 && of.sequence_high > pair[i], "%zu: %g", changed[i],
                  of.sequence_low);
        cr_expect_float_eq(of.accounted, 4, 1e-12);
    }
}

/* Two users of whom one changes once: unary encoding draws all d bits anew. */
Test(chains, budgets_of_sequences)
{
    static const struct {
        size_t d;
        double two, eight; /* rounds */
    } rows[] = {{2, 1.54, 8.2}, {10, 3.89, 33}, {100, 33.4, 314}};
    struct ldp_protection of;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_rounds two = named("l_sue", NAN, false, rows[i].d, 2, 2, 1),
                                eight = named("l_sue", NAN, false, rows[i].d, 8, 2, 1);
        ldp_rounds_protection(&two, &of);
        cr_expect(of.sequence_low >= rows[i].two * .997, "d = %zu: %g", rows[i].d, of.sequence_low);
        ldp_rounds_protection(&eight, &of);
        cr_expect(of.sequence_low >= rows[i].eight * .994, "d = %zu: %g", rows[i].d, of.sequence_low);
    }
    /* Above T times the budget of one report; symbols: not above T ln(p2/q2). */
    const struct ldp_rounds many[] = {named("loloha", 2, false, 360, 8, 1, .5),
                                      named("l_grr", NAN, false, 360, 8, 2, 1),
                                      named("loloha", 4, false, 360, 8, 2, 1)};
    for (size_t i = 0; i < 3; i++) {
        ldp_rounds_protection(&many[i], &of);
        cr_expect(of.sequence_high <= 8 * log(many[i].p2 / many[i].q2) * (1 + 1e-9), "%zu: %g", i, of.sequence_high);
        cr_expect(i > 0 || of.sequence_low >= 4.095, "%g", of.sequence_low);
    }
    /* The sum of memos: min(g, T), min(d, T), min(b, k + 1, T) of them. */
    const struct {
        struct ldp_rounds rounds;
        double memos;
    } sums[] = {{named("loloha", 4, false, 360, 8, 2, 1), 4},  {named("loloha", 4, false, 360, 3, 2, 1), 3},
                {named("l_sue", NAN, false, 5, 8, 2, 1), 5},   {named("l_grr", NAN, false, 50, 8, 2, 1), 8},
                {named("dbitflip", 3, false, 50, 8, 2, 1), 4}, {named("dbitflip", 3, false, 50, 2, 2, 1), 2},
                {named("dbitflip", NAN, false, 5, 8, 2, 1), 5}};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        ldp_rounds_protection(&sums[i].rounds, &of);
        cr_expect_float_eq(of.accounted, 2 * sums[i].memos, 1e-12, "%zu: %g", i, of.accounted);
    }
    /* As published, one bit has half of epsilon. */
    const struct ldp_rounds half = named("dbitflip", 1, true, 50, 1, 2, 1),
                            whole = named("dbitflip", 1, false, 50, 1, 2, 1);
    ldp_rounds_protection(&half, &of);
    cr_expect_float_eq(of.report, 1, 1e-9, "%g", of.report);
    ldp_rounds_protection(&whole, &of);
    cr_expect_float_eq(of.report, 2, 1e-9, "%g", of.report);
}

/* n Var of the mean over rounds of one of d equally frequent values; each value stays from one round to the next with
 * probability `stay`, else it is drawn anew; users' values are random. */
static double of_mean(const struct ldp_rounds *rounds, double stay)
{
    const double T = (double)rounds->rounds, f = 1 / (double)rounds->d;
    struct ldp_round_covariance share;
    double sum = T * ldp_rounds_variance(rounds, 1, 0, f);
    rounds->chain->form->covariance(rounds, 1, &share);
    for (size_t lag = 1; lag < rounds->rounds; lag++) {
        const double rho = pow(stay, (double)lag), both = rho * f + (1 - rho) * f * f,
                     equal = rho * (1 - f) + (1 - rho) * (f - f * f), one = 2 * (1 - rho) * f * (1 - f);
        sum += 2 * (T - (double)lag) *
               (both * share.both + equal * share.equal + one * share.one + (1 - both - equal - one) * share.neither);
    }
    return sum / T / T;
}

/* d = 360, epsilon 4, first 1.6: 120 rounds of values that stay, are redrawn with probability 1/4, are permuted; and
 * one round, of a value with zero frequency. */
Test(chains, means_over_rounds)
{
    static const struct {
        const char *chain;
        double g;
        const char *kept, *redrawn, *permuted, *one;
    } rows[] = {{"l_grr", NAN, ".356", ".204", ".196", "23.2"},     {"l_sue", NAN, ".192", ".0216", ".01285", "1.48"},
                {"l_osue", NAN, ".0887", ".0146", ".0108", "1.27"}, {"loloha", 2, "1.083", ".109", ".0594", "2.27"},
                {"loloha", 4, ".392", ".0430", ".0251", "1.35"},    {"loloha", 8, ".198", ".0260", ".0172", "1.31"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_rounds rounds = named(rows[i].chain, rows[i].g, false, 360, 120, 4, 1.6);
        expect(of_mean(&rounds, 1), rows[i].kept, rows[i].chain);
        expect(of_mean(&rounds, .75), rows[i].redrawn, rows[i].chain);
        expect(of_mean(&rounds, 0), rows[i].permuted, rows[i].chain);
        expect(rounds.report.s1, rows[i].one, rows[i].chain);
    }
}

/* Errors of 10,000 users with uniform values of 360, in 1e-4, and what an observer sees. */
Test(chains, synthetic_data)
{
    static const struct {
        const char *name;
        double param;
        bool published;
        const char *mse[3]; /* of a round at epsilon 1, 3, 5, first 0.4 of it */
    } of[] = {
        {"l_osue", NAN, false, {"24.7", "2.47", ".727"}}, {"loloha", NAN, false, {"25.7", "2.48", ".727"}},
        {"l_sue", NAN, false, {"24.9", "2.70", ".921"}},  {"loloha", 2, false, {"25.7", "3.46", "1.72"}},
        {"l_grr", NAN, false, {"149e1", "67.6", "9.1"}},  {"loloha", NAN, true, {"25.7", "2.75", ".759"}},
        {"l_grr", NAN, true, {"7.2e6", "1.7e4", "96"}},   {"dbitflip", 1, true, {"141e1", "134", "36"}},
        {"dbitflip", NAN, false, {"3.9", ".37", ".097"}},
    };
    static const struct {
        const char *name;
        double param;
        const char *average; /* n times the variance of the mean of 120 rounds at epsilon 4, first 1.6 */
    } kept[] = {{"l_grr", NAN, ".356"}, {"l_sue", NAN, ".192"}, {"l_osue", NAN, ".0887"},
                {"loloha", 2, "1.083"}, {"loloha", 4, ".392"},  {"loloha", 8, ".198"}};
    static const struct {
        double bits;
        const char *percent;
    } seen[] = {{1, ".34"}, {4, "2.0"}, {16, "8.7"}, {360, "100"}};
    uint64_t counts[360];
    struct ldp_sequences *sequences;
    struct ldp_round_errors exact;
    for (size_t v = 0; v < 360; v++)
        counts[v] = 27 + (v < 280);
    cr_assert_eq(ldp_sequences_static(counts, 360, 120, &sequences), LDP_OK);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (size_t b = 0; b < 3; b++) {
            const double epsilon = 1 + 2 * (double)b;
            const struct ldp_rounds rounds =
                named(of[i].name, of[i].param, of[i].published, 360, 120, epsilon, .4 * epsilon);
            ldp_rounds_errors(&rounds, sequences, &exact);
            expect(1e4 * exact.round, of[i].mse[b], of[i].name);
        }
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const struct ldp_rounds rounds = named(kept[i].name, kept[i].param, false, 360, 120, 4, 1.6);
        ldp_rounds_errors(&rounds, sequences, &exact);
        expect(1e4 * exact.average, kept[i].average, kept[i].name);
    }
    for (size_t i = 0; i < 4; i++) {
        const struct ldp_rounds bits = named("dbitflip", seen[i].bits, true, 360, 120, 2, 1);
        expect(100 * bits.chain->form->seen(&bits), seen[i].percent, "changes seen");
    }
    ldp_sequences_free(sequences);
}

/* Mean memos of users who draw one of 360 values anew in a round with probability 1/4, 120 rounds. */
Test(chains, memos_of_synthetic_data)
{
    enum { VALUES = 360, T = 120 };
    static const struct {
        const char *chain;
        double param;
        const char *mean;
    } rows[] = {{"l_sue", NAN, "29.48"}, {"loloha", 2, "2.00"},    {"loloha", 4, "4.00"},   {"loloha", 8, "7.81"},
                {"loloha", 17, "14.05"}, {"dbitflip", 1, "1.082"}, {"dbitflip", 16, "2.31"}};
    double holds[T + 1] = {0, 1}; /* the law of how many different values a user has held */
    for (size_t t = 1; t < T; t++)
        for (size_t k = t + 1; k > 0; k--)
            holds[k] = holds[k] * (1 - 0.25 * (VALUES - (double)k) / VALUES) +
                       holds[k - 1] * 0.25 * (VALUES - (double)k + 1) / VALUES;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_rounds rounds = named(rows[i].chain, rows[i].param, false, VALUES, T, 2, 1);
        double mean = 0;
        for (size_t k = 1; k <= T; k++)
            mean += holds[k] * rounds.chain->form->memos(&rounds, k);
        expect(mean, rows[i].mean, rows[i].chain);
    }
}

Test(chains, equal_protection)
{
    const struct ldp_chain_spec sue = default_spec(ldp_chain_find("l_sue")),
                                split = default_spec(ldp_chain_find("split")),
                                fresh = default_spec(ldp_chain_find("fresh"));
    struct ldp_rounds rounds;
    struct ldp_reason reason;
    cr_assert_eq(ldp_rounds_equal(&rounds, &sue, 10, 100, 5, LDP_EQUAL_REPORT, 1, .4, &reason), LDP_OK);
    cr_expect_float_eq(rounds.epsilon, 2.5, 1e-9 * 2.5, "l_sue, a report");
    cr_assert_eq(ldp_rounds_equal(&rounds, &split, 10, 100, 5, LDP_EQUAL_REPORT, 1, .4, &reason), LDP_OK);
    cr_expect_float_eq(rounds.epsilon, 5, 1e-9 * 5, "split, a report");
    cr_assert_eq(ldp_rounds_equal(&rounds, &fresh, 10, 100, 5, LDP_EQUAL_SEQUENCE, 1, .4, &reason), LDP_OK);
    cr_expect_float_eq(rounds.first, .2, 1e-9 * .2, "fresh, sequences");
    cr_assert_eq(ldp_rounds_equal(&rounds, &sue, 10, 100, 5, LDP_EQUAL_UNCHANGED, 1, .4, &reason), LDP_OK);
    struct ldp_protection of;
    ldp_rounds_protection(&rounds, &of);
    cr_expect_float_eq(of.unchanged, 1, 1e-9 * 1, "l_sue, unchanged");
    cr_expect_eq(ldp_rounds_equal(&rounds, &sue, 10, 100, 120, LDP_EQUAL_SEQUENCE, 1, .4, &reason), LDP_EINVAL);
    cr_expect(strstr(reason.text, "with memoized reports of any budget all sequences have epsilon"), "%s", reason.text);
}

/* ---- What an observer of all rounds guesses ---- */

static struct ldp_rounds fresh_of(const char *oracle, size_t d, size_t rounds)
{
    static struct ldp_oracle_spec spec;
    struct ldp_chain_spec chain = default_spec(ldp_chain_find("fresh"));
    spec = (struct ldp_oracle_spec){.oracle = ldp_oracle_find(oracle)};
    ldp_params_default(spec.oracle->params, spec.param);
    chain.oracle = &spec;
    return rounds_with(chain, d, rounds, 2, 1);
}

/* Of three values, epsilon 2, one report 1, by enumeration of all reports elsewhere: exactly, or by reports. */
Test(chains, values_guessed_from_all_rounds)
{
    enum { ROUNDS = 3, USERS = 20000 };
    static const double prior[2][3] = {{.5, .3, .2}, {1 / 3., 1 / 3., 1 / 3.}};
    static const struct {
        const char *chain;
        double param;
        bool exact;
        double success[2][ROUNDS];
    } rows[] = {
        {"l_grr",
         NAN,
         false,
         {{.576116884766, .634974593623, .670565424878}, {.576116884766, .576116884766, .653997844712}}},
        {"l_sue",
         NAN,
         true,
         {{.548841551159, .576971665642, .600053136426}, {.465790189734, .517010223183, .546275775031}}},
        {"l_osue",
         NAN,
         true,
         {{.546715112680, .576575186266, .600301406500}, {.466658644901, .514399591280, .539219299260}}},
        {"loloha",
         3,
         false,
         {{.548688456923, .581116987754, .601807114835}, {.468213084129, .480752182363, .517308771459}}},
        {"dbitflip",
         1,
         false,
         {{.675277759783, .675277759783, .675277759783}, {.587198051985, .587198051985, .587198051985}}},
        {"dbitflip",
         2,
         false,
         {{.619645149793, .619645149793, .619645149793}, {.599983956469, .599983956469, .599983956469}}},
        {"split",
         NAN,
         true,
         {{.653650784098, .591383094706, .560437661928}, {.572067343854, .529822390346, .498195309918}}},
        {"grr",
         NAN,
         false,
         {{.576116884766, .649378750722, .690929488081}, {.576116884766, .576116884766, .665050764773}}},
        {"oue",
         NAN,
         true,
         {{.546715112680, .591383094706, .628699085273}, {.466658644901, .529822390346, .577980210682}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t t = 1; t <= ROUNDS; t++)
            for (size_t k = 0; k < 2; k++) {
                const bool fresh = !ldp_chain_find(rows[i].chain);
                const struct ldp_rounds rounds =
                    fresh ? fresh_of(rows[i].chain, 3, t) : named(rows[i].chain, rows[i].param, false, 3, t, 2, 1);
                struct ldp_attack_success found, told;
                cr_assert_eq(ldp_rounds_attack(&rounds, prior[k], &found, NULL), LDP_OK);
                cr_assert_eq(ldp_rounds_attack_told(&rounds, NULL, prior[k], USERS, &told, NULL), LDP_OK);
                const double expected = rows[i].success[k][t - 1], bound = statistics_z_bound(54) * told.error;
                cr_expect_float_eq(told.success, expected, bound, "%s, %zu rounds: %g, not %g", rows[i].chain, t,
                                   told.success, expected);
                if (rows[i].exact)
                    cr_expect_float_eq(found.success, expected, 1e-11, "%s, %zu rounds: %.12g, not %.12g",
                                       rows[i].chain, t, found.success, expected);
            }
}

/* Many values and rounds: the law of bits and reports; in the limit an observer knows the memo, or the value. */
Test(chains, values_guessed_from_many_rounds)
{
    enum { D = 20 };
    static const char *const names[] = {"l_sue", "l_osue", "l_soue", "split"};
    double prior[D], sum = 0;
    struct ldp_attack_success law, told;
    for (size_t v = 0; v < D; v++)
        sum += prior[v] = 1 / (double)(v + 1);
    for (size_t v = 0; v < D; v++)
        prior[v] /= sum;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct ldp_rounds rounds = named(names[i], NAN, false, D, 30, 2, .9);
        cr_assert_eq(ldp_rounds_attack(&rounds, prior, &law, NULL), LDP_OK);
        cr_assert_eq(ldp_rounds_attack_told(&rounds, NULL, prior, 4000, &told, NULL), LDP_OK);
        cr_expect_eq(law.error, 0);
        cr_expect_float_eq(told.success, law.success, statistics_z_bound(4) * told.error, "%s: %g, %g", names[i],
                           law.success, told.success);
    }
    const struct ldp_rounds sue = named("l_sue", NAN, false, D, 2000, 2, 1), oue = fresh_of("oue", D, 2000);
    struct ldp_attack_success memo;
    cr_assert_eq(ldp_attack_success(&sue.memo, prior, 0, 1, &memo, NULL), LDP_OK);
    cr_assert_eq(ldp_rounds_attack(&sue, prior, &law, NULL), LDP_OK);
    cr_expect_float_eq(law.success, memo.success, 1e-9, "%.12g, not %.12g", law.success, memo.success);
    cr_assert_eq(ldp_rounds_attack(&oue, prior, &law, NULL), LDP_OK);
    cr_expect_float_eq(law.success, 1, 1e-9, "%.12g", law.success);
    struct ldp_reason reason = {""};
    prior[0] += .1;
    cr_expect_eq(ldp_rounds_attack(&sue, prior, &law, &reason), LDP_EINVAL);
    cr_expect_eq(strncmp(reason.text, "prior", 5), 0, "%s", reason.text);
}

/* Two users of three rounds: a, a, b and c, d, c. A round's value is held in one of them in a third of the cases, in
 * two otherwise; that of somebody who knows in which is guessed by their reports. */
Test(chains, values_guessed_that_change)
{
    enum { D = 4, T = 3 };
    static const uint32_t held[2 * T] = {0, 0, 1, 2, 3, 2};
    static const char *const names[] = {"l_grr", "l_sue", "loloha", "dbitflip", "split", "fresh", "once"};
    static const double prior[D] = {2 / 6., 1 / 6., 2 / 6., 1 / 6.};
    uint32_t *const values = malloc(sizeof held), *const same = calloc(2 * T, sizeof *same);
    struct ldp_sequences *sequences, *stays;
    memcpy(values, held, sizeof held);
    cr_assert_eq(ldp_sequences_new(values, D, T, 2, &sequences), LDP_OK);
    cr_assert_eq(ldp_sequences_new(same, D, T, 2, &stays), LDP_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ldp_attack_success of[T + 1], found, all;
        double expected = 0, error = 0;
        struct ldp_rounds rounds = named(names[i], NAN, false, D, T, 2, 1);
        const bool once = strcmp(names[i], "once") == 0;
        for (size_t t = 1; t <= T; t++) {
            rounds.rounds = t; /* split: of the same part of the budget */
            cr_assert_eq(ldp_rounds_attack(&rounds, prior, &of[t], NULL), LDP_OK);
        }
        cr_assert_eq(ldp_rounds_attack_known(&rounds, sequences, prior, &found, NULL), LDP_OK);
        for (size_t t = 1; t < T; t++) {
            const double part = once ? (double)t / T : 1, share = (double)t / T;
            expected += share * (part * of[t].success + (1 - part) * of[t].guess);
            error = hypot(error, share * of[t].error);
        }
        cr_expect_float_eq(found.success, expected, statistics_z_bound(7) * hypot(error, found.error) + 1e-12,
                           "%s: %g, not %g", names[i], found.success, expected);
        cr_assert_eq(ldp_rounds_attack_known(&rounds, stays, prior, &all, NULL), LDP_OK);
        cr_expect_float_eq(all.success, of[T].success, statistics_z_bound(7) * hypot(of[T].error, all.error) + 1e-12,
                           "%s: %g, not %g", names[i], all.success, of[T].success);
    }
    ldp_sequences_free(sequences);
    ldp_sequences_free(stays);
}
