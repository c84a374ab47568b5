/* attack.c - how often somebody guesses the value of an attribute who sees the reports of its user. */
#include "marginals/synopsis.h"

#include <math.h>
#include <stdlib.h>

void ldp_record_attack_add(struct ldp_record_protection *protection, const struct ldp_attack_success *attack,
                           double attributes)
{
    struct ldp_attack_success *const mean = &protection->attack;
    const double error = attack->error / attributes;
    mean->error = sqrt(mean->error * mean->error + error * error);
    ldp_attack_success_set(mean, mean->success + attack->success / attributes,
                           mean->guess + attack->guess / attributes);
}

/* Of one attribute; NAN: not known. */
static struct ldp_attack_success attack_on(const struct ldp_workload *workload, size_t attribute, double epsilon)
{
    const size_t d = workload->records->cardinality[attribute];
    struct ldp_attack_success attack = {NAN, NAN, NAN, NAN};
    struct ldp_protocol protocol;
    uint64_t *const counts = malloc(d * sizeof *counts);
    if (counts && ldp_protocol_init(&protocol, workload->oracle, d, epsilon, NULL) == LDP_OK) {
        ldp_records_table(workload->records, &(struct ldp_set){1, {(uint8_t)attribute}}, counts);
        (void)ldp_attack_success_of_counts(&protocol, counts, &attack);
    }
    free(counts);
    return attack;
}

void ldp_record_protect(const struct ldp_workload *workload, double tuple, double epsilon, double share,
                        struct ldp_record_protection *out)
{
    const double a = (double)workload->records->d;
    *out = ldp_record_protection(tuple, epsilon);
    out->attack = (struct ldp_attack_success){.success = 0};
    for (size_t i = 0; i < workload->records->d; i++) {
        struct ldp_attack_success attack = attack_on(workload, i, epsilon);
        attack.success = share * attack.success + (1 - share) * attack.guess; /* of the others nothing is seen */
        attack.error *= share;
        ldp_record_attack_add(out, &attack, a);
    }
}
