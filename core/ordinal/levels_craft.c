/* levels_craft.c - malicious users of an oracle over the levels of a tree.
 *
 * They keep to the shares of the levels, as the server sees how many users a level has. Of a level they craft reports
 * of the row oracle for the nodes that raise the total of the targets: those in which targets are denser than in their
 * parent, and, where least squares of nodes are fitted (hh), those below such a node in which they are as dense. Of
 * haar that is the side of a coefficient on which targets are denser, exactly; of hh a node whose targets are a little
 * less dense than its parent's may raise the total as well, and is left out. Both hold for whole trees, and nearly for
 * others.
 *
 * With reports of level l that add x_l to the node above a single target and y_l to others, a tree of B^h = d values,
 *
 *     hh:   sum_T a = 1/d + sum_l (x_l - y_l) omega_l B^(h-l) sum_{j <= l} (B^(j-h) - B^(j-1-h)) / L_j,
 *
 * omega_l and L_j as in hh.c; 1/d + (1 - 1/d) (x - y) where levels are alike: a hierarchy is harmed as its row oracle
 * is. haar: sum_T a = 1/d + (1 - 1/d) / KAP, KAP as in haar.c: as Hadamard response with g = 1. */
#include "ordinal/levels.h"
#include "protocol/craft.h"

/* The most targets of malicious users. */
enum { CRAFT_MAX = 1024 };

/* The least of the levels; a row that can craft for all of its nodes limits nothing. */
size_t ldp_levels_craft_most(const struct ldp_protocol *protocol, const struct ldp_craft *craft)
{
    const struct ldp_levels levels = ldp_levels_of(protocol);
    size_t most = protocol->d < CRAFT_MAX ? protocol->d : CRAFT_MAX;
    for (size_t l = 0; l < levels.h; l++) {
        const struct ldp_protocol row = ldp_levels_row(protocol, l);
        const size_t of_row = ldp_levels_share(&levels, l) == 0 ? SIZE_MAX : ldp_craft_most(&row, craft);
        most = of_row < row.d && of_row < most ? of_row : most;
    }
    return most;
}

/* Targets per value of the node of depth l above one of them. */
static double density(const struct ldp_tree *tree, const struct ldp_craft *craft, size_t l, uint32_t target)
{
    const size_t node = target / tree->leaves[l], from = node * tree->leaves[l],
                 to = from + tree->leaves[l] < tree->d ? from + tree->leaves[l] : tree->d;
    size_t count = 0;
    for (size_t i = 0; i < craft->r; i++)
        count += craft->target[i] / tree->leaves[l] == node;
    return (double)count / (double)(to - from);
}

/* Whether the node of depth l above a target should rise: targets are denser there than in its parent, or as dense,
 * and (if inherited) the parent should rise. */
static bool should_rise(const struct ldp_tree *tree, const struct ldp_craft *craft, bool inherited, size_t l,
                        uint32_t target)
{
    double own = density(tree, craft, l, target);
    for (; l > 0; l--) {
        const double above = density(tree, craft, l - 1, target);
        if (own != above || !inherited)
            return own > above;
        own = above;
    }
    return false;
}

/* The nodes of depth l that should rise, each once, or the residues of all targets. Returns their number; 0: no report
 * of this level helps. */
static size_t nodes_to_rise(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t l,
                            uint32_t node[CRAFT_MAX])
{
    const struct ldp_levels levels = ldp_levels_of(protocol);
    const struct ldp_tree tree = ldp_tree_of(protocol->d, levels.B > 0 ? levels.B : 2);
    const bool inherited = ldp_hh_suits(protocol);
    size_t count = 0;
    for (size_t i = 0; i < craft->r && i < CRAFT_MAX; i++) {
        const uint32_t own = ldp_levels_node(&levels, protocol->d, l - 1, craft->target[i]);
        size_t k = 0;
        while (k < count && node[k] != own)
            k++;
        if (k == count && (levels.B == 0 || should_rise(&tree, craft, inherited, l, craft->target[i])))
            node[count++] = own;
    }
    return count;
}

/* m reports of level l + 1. */
static void craft_level(const struct ldp_protocol *protocol, const struct ldp_protocol *row,
                        const struct ldp_craft *craft, size_t l, size_t m, struct ldp_rng *rng, uint64_t *reports)
{
    struct ldp_craft of_row = *craft;
    uint32_t node[CRAFT_MAX];
    of_row.target = node;
    of_row.r = nodes_to_rise(protocol, craft, l + 1, node);
    ldp_craft_part(row, &of_row, m, l, protocol->report_words, rng, reports);
}

void ldp_levels_craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                      uint64_t *reports)
{
    const struct ldp_levels levels = ldp_levels_of(protocol);
    size_t users[LDP_LEVELS_MAX] = {0};
    for (size_t i = 0; i < m; i++)
        users[ldp_levels_draw(&levels, rng)]++;
    for (size_t l = 0; l < levels.h; l++) {
        const struct ldp_protocol row = ldp_levels_row(protocol, l);
        craft_level(protocol, &row, craft, l, users[l], rng, reports);
        reports += users[l] * protocol->report_words;
    }
}
