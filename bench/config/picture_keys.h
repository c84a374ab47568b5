/* picture_keys.h - the config's section about pictures. It changes no number: plot reads it from the config that
 * run.json keeps. */
#ifndef LDPBENCH_PICTURE_KEYS_H
#define LDPBENCH_PICTURE_KEYS_H

#include "config/keys.h"

/* [{"picture": "full_domain", "caption": "Figure 4. ...", "leave_out": ["oue"], "names": {"grr": "DE"}}]: checked, and
 * not kept. */
extern const struct config_type config_pictures;

#endif
