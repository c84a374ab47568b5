/* shapes.h - JSON Schemas and words of keys, made from the forms of their types. */
#ifndef LDPBENCH_SHAPES_H
#define LDPBENCH_SHAPES_H

#include "config/keys.h"

#include <cjson/cJSON.h>

/* The schema of an object of these keys: closed, and with its list of required keys. */
cJSON *config_schema(const struct config_key *keys);

/* Adds the keys to the "properties" and "required" of such a schema. */
void config_schema_add(cJSON *schema, const struct config_key *keys);

/* The values that are accepted, the default ("" if there is none, or the help says it), and an example `"epsilon": 1`
 * ("": none), in words. Malloc'd. */
char *config_words(const struct config_key *key);
char *config_default(const struct config_key *key);
char *config_example(const struct config_key *key);

/* ---- Parts ---- */

/* Adds to an object or a list and returns what was added. */
cJSON *schema_add(cJSON *object, const char *key, cJSON *item);
cJSON *schema_append(cJSON *list, cJSON *item);
void schema_add_text(cJSON *object, const char *key, const char *text);

/* Adds a key to the list "required" of a schema. */
void schema_require(cJSON *schema, const char *key);

/* {"KEY": VALUE}: "const" or "$ref" of a definition. */
cJSON *schema_constant(const char *text);
cJSON *schema_reference(const char *name);

/* {"enum": [NAMES]} */
cJSON *schema_words(const char *const *names);

/* {"anyOf": []} and the list of alternatives. */
cJSON *schema_any(cJSON **ways);

#endif
