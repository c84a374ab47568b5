/* schema.h - the JSON Schema of configs, made from the registries, so that editors complete and check them. */
#ifndef LDPBENCH_SCHEMA_H
#define LDPBENCH_SCHEMA_H

/* Its text, ended by a line end: what configs/schema.json holds. Malloc'd. */
char *schema_text(void);

#endif
