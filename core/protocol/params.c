/* params.c - defaults and ranges of algorithms' parameters, in one place for all of them. */
#include "protocol/protocol.h"

const char *const ldp_rules[] = {"least_variance", "published", NULL};

const char *const ldp_powers_of_two[] = {
    "1",         "2",         "4",         "8",          "16",         "32",         "64",       "128",      "256",
    "512",       "1024",      "2048",      "4096",       "8192",       "16384",      "32768",    "65536",    "131072",
    "262144",    "524288",    "1048576",   "2097152",    "4194304",    "8388608",    "16777216", "33554432", "67108864",
    "134217728", "268435456", "536870912", "1073741824", "2147483648", "4294967296", NULL,
};

void ldp_params_default(const struct ldp_param *params, double value[LDP_PARAMS_MAX])
{
    size_t i = 0;
    if (params)
        for (; i < LDP_PARAMS_MAX && params[i].name; i++)
            value[i] = params[i].fallback;
    for (; i < LDP_PARAMS_MAX; i++)
        value[i] = 0;
}

static double choices(const struct ldp_param *param)
{
    double count = 0;
    for (const char *const *name = param->choices; *name; name++)
        count++;
    return count;
}

bool ldp_param_valid(const struct ldp_param *param, double value)
{
    if (isnan(value))
        return isnan(param->fallback) || param->kind == LDP_INTEGER_OR_AUTO;
    switch (param->kind) {
    case LDP_REAL: return value >= param->min && value <= param->max;
    case LDP_INTEGER:
    case LDP_INTEGER_OR_AUTO: return value >= param->min && value <= param->max && value == floor(value);
    case LDP_FLAG: return value == 0 || value == 1;
    case LDP_CHOICE: return value >= 0 && value < choices(param) && value == floor(value);
    }
    return false;
}

bool ldp_params_valid(const struct ldp_param *params, const double value[LDP_PARAMS_MAX])
{
    if (params)
        for (size_t i = 0; i < LDP_PARAMS_MAX && params[i].name; i++)
            if (!ldp_param_valid(&params[i], value[i]))
                return false;
    return true;
}
