/* median_lanes.h - the leading bits of medians, WIDTH lanes at a time: the keys of one register. median.c includes it
 * for each LEVEL; the results are the same. */
#define keys_of_level JOIN(keys, LEVEL)
#define counts_of_level JOIN(counts, LEVEL)
typedef int16_t keys_of_level __attribute__((vector_size(WIDTH * sizeof(int16_t))));
typedef uint16_t counts_of_level __attribute__((vector_size(WIDTH * sizeof(uint16_t))));

/* The keys of each lane up to each bound. 2^16 keys, the most that there can be, count as one less. */
TARGET LDP_INLINE void JOIN(count_upto, LEVEL)(const int16_t *keys, size_t r, const keys_of_level bound[BOUNDS],
                                               counts_of_level count[BOUNDS])
{
    counts_of_level some[BOUNDS] = {{0}};
    keys_of_level key;
    const size_t most = r < UINT16_MAX ? r : UINT16_MAX;
    for (size_t j = 0; j < most; j++) {
        memcpy(&key, keys + j * LANES, sizeof key);
#pragma GCC unroll 3
        for (size_t i = 0; i < BOUNDS; i++)
            some[i] -= (counts_of_level)(key <= bound[i]);
    }
    if (most < r) {
        memcpy(&key, keys + most * LANES, sizeof key);
        for (size_t i = 0; i < BOUNDS; i++)
            some[i] -= (counts_of_level)(key <= bound[i]) & (counts_of_level)(some[i] != UINT16_MAX);
    }
    memcpy(count, some, sizeof some);
}

/* Lanes from `first` on. low, high: the range of the median's leading bits; the keys up to low are at most of its rank,
 * `below` of them, or low is the least possible key and is the median; those up to high are more, `upto`. */
TARGET LDP_INLINE void JOIN(middle_from, LEVEL)(const int16_t *keys, size_t r, size_t first, struct middles *out)
{
    const counts_of_level rank = (uint16_t)(r / 2) - (counts_of_level){0};
    const keys_of_level least = INT16_MIN - (keys_of_level){0};
    keys_of_level low = least, high = INT16_MAX - (keys_of_level){0};
    keys_of_level bound[BOUNDS] = {least, {0}, (1 << 14) - (keys_of_level){0}};
    counts_of_level below = {0}, upto = (uint16_t)(r < UINT16_MAX ? r : UINT16_MAX) - (counts_of_level){0};
    counts_of_level count[BOUNDS];
    JOIN(count_upto, LEVEL)(keys + first, r, bound, count);
    high = CHOOSE(count[0] > rank, least, high);
    for (;;) {
        for (size_t i = 0; i < BOUNDS; i++) {
            const keys_of_level inside = (bound[i] >= low) & (bound[i] < high), more = count[i] > rank;
            const keys_of_level fall = inside & more, raise = inside & ~more;
            high = CHOOSE(fall, bound[i], high);
            upto = CHOOSE((counts_of_level)fall, count[i], upto);
            low = CHOOSE(raise, bound[i], low);
            below = CHOOSE((counts_of_level)raise, count[i], below);
        }
        const counts_of_level width = (counts_of_level)high - (counts_of_level)low;
        const keys_of_level open = (upto - below > 1) & (width > 1);
        uint64_t word[sizeof open / sizeof(uint64_t)], any = 0;
        memcpy(word, &open, sizeof word);
        for (size_t i = 0; i < sizeof word / sizeof *word; i++)
            any |= word[i];
        if (!any)
            break;
        bound[1] = (low & high) + ((low ^ high) >> 1);
        bound[0] = (low & bound[1]) + ((low ^ bound[1]) >> 1);
        bound[2] = (bound[1] & high) + ((bound[1] ^ high) >> 1);
        JOIN(count_upto, LEVEL)(keys + first, r, bound, count);
    }
    keys_of_level best = least, under = least, key;
    for (size_t j = 0; j < r; j++) {
        memcpy(&key, keys + first + j * LANES, sizeof key);
        best = CHOOSE((key <= high) & (key > best), key, best);
        under = CHOOSE((key <= low) & (key > under), key, under);
    }
    memcpy(out->key + first, &best, sizeof best);
    memcpy(out->under + first, &under, sizeof under);
    for (size_t l = 0; l < WIDTH; l++)
        out->before[first + l] = below[l];
}

TARGET static void JOIN(middle, LEVEL)(const int16_t *keys, size_t r, struct middles *out)
{
    for (size_t first = 0; first < LANES; first += WIDTH)
        JOIN(middle_from, LEVEL)(keys, r, first, out);
}

#undef keys_of_level
#undef counts_of_level
#undef LEVEL
#undef WIDTH
#undef TARGET
