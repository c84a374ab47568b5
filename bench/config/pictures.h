/* pictures.h - the config's words about pictures. They change no number: plot reads them from the config that run.json
 * keeps. */
#ifndef LDPBENCH_CONFIG_PICTURES_H
#define LDPBENCH_CONFIG_PICTURES_H

#include "config/keys.h"

/* [{"picture": "full_domain", "caption": "Figure 4. ...", "leave_out": ["oue"], "names": {"grr": "DE"}}]: checked, and
 * not kept. */
extern const struct config_type config_pictures;

#endif
