/* parts.h - parts of a JSON Schema. Out of memory, cJSON's functions do nothing with NULL, and the whole comes out as
 * NULL or short; nothing more is checked. */
#ifndef LDPBENCH_PARTS_H
#define LDPBENCH_PARTS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Adds to an object and returns what was added. */
cJSON *schema_add(cJSON *object, const char *key, cJSON *item);

/* A number with all its digits. */
void schema_add_number(cJSON *object, const char *key, double value);
void schema_add_text(cJSON *object, const char *key, const char *text);

/* Adds a key to the list "required" of a schema. */
void schema_require(cJSON *schema, const char *key);

/* {"type": "object", "properties": {}, "additionalProperties": false} and the object for its properties. */
cJSON *schema_object(cJSON **properties);

/* A list of strings. */
cJSON *schema_strings(const char *const *names);
cJSON *schema_number(bool integer, double min, double max);

/* A list that is not empty, each element once. Takes over items. */
cJSON *schema_list(cJSON *items);

/* {"$ref": "#/definitions/NAME"}, and a list of those, or "all", if all is set. */
cJSON *schema_reference(const char *name);
cJSON *schema_section(const char *name, bool all);

/* {"anyOf": []} and the list of alternatives. */
cJSON *schema_any(cJSON **ways);

#endif
