/* registry.h - finding an entry of a registry by its name. Internal to the core. */
#ifndef LDPBENCH_CORE_REGISTRY_H
#define LDPBENCH_CORE_REGISTRY_H

#include <string.h>

/* Defines ldp_KIND_find over a list that NULL ends. */
#define LDP_FIND(kind, list)                                                                                           \
    const struct ldp_##kind *ldp_##kind##_find(const char *name)                                                       \
    {                                                                                                                  \
        size_t i = 0;                                                                                                  \
        while ((list)[i] && strcmp((list)[i]->name, name) != 0)                                                        \
            i++;                                                                                                       \
        return (list)[i];                                                                                              \
    }

#endif
