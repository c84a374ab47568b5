/* picture_keys.c - see picture_keys.h. */
#include "config/picture_keys.h"

#include <cjson/cJSON.h>

/* A list of texts, or an object of them: ["oue"], {"grr": "DE"}. */
static int texts_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    const bool list = key->type->form == FORM_LIST;
    struct json_at member = {.file = at->file};
    const char *text;

    if (list ? !json_is_list(at) : !json_is_object(at))
        return json_expected(at, failure, "%s", key->type->words);
    if (list && !at->node->child)
        return json_expected(at, failure, "at least one element");
    cJSON_ArrayForEach(member.node, at->node) if (json_string(&member, &text, failure) != 0) return -1;
    return 0;
}

static const struct config_type config_labels = {CONFIG_LIST_OF(&config_text), .repeats = true,
                                                 CONFIG_STORED(STORED_PLACE, struct json_at), .read = texts_read,
                                                 .words = "a list of labels"};
static const struct config_type config_names = {CONFIG_MAP_OF(&config_text),
                                                CONFIG_STORED(STORED_PLACE, struct json_at), .read = texts_read,
                                                .words = "an object of labels with names"};

struct picture_words {
    const char *picture, *caption;
    struct json_at leave_out, names;
    bool counts;
};

static const struct config_key picture_keys[] = {
    KEY("picture", "name of the picture's file, without its number and format", "\"full_domain\"", .required = true,
        CONFIG_TEXT(struct picture_words, picture)),
    KEY("caption", "first sentence of its caption; data, oracle and repetitions are added automatically",
        "\"Figure 4. Error of single frequencies\"", CONFIG_TEXT(struct picture_words, caption)),
    KEY("leave_out", "curves and measures to leave out, by their labels in the tables", "[\"oue\"]",
        .type = &config_labels, CONFIG_MEMBER(struct picture_words, leave_out, struct json_at)),
    KEY("names", "names to show instead of labels of curves and of keys on an axis; the caption says which are renamed",
        "{\"grr\": \"DE\"}", .type = &config_names, CONFIG_MEMBER(struct picture_words, names, struct json_at)),
    KEY("counts", "true: squared errors of counts, n^2 times those of frequencies", "true",
        CONFIG_FLAG(struct picture_words, counts)),
    {.name = NULL},
};

static int pictures_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    struct json_at picture;
    size_t count;
    if (json_list(at, "a list of pictures", &picture, &count, failure) != 0)
        return -1;
    do {
        struct picture_words words = {0};

        for (const cJSON *other = at->node->child; other != picture.node; other = other->next)
            if (cJSON_Compare(other, picture.node, true))
                return json_fail(&picture, failure, "expected pictures that differ, got one twice");
        if (config_check(&picture, picture_keys, NULL, failure) != 0 ||
            config_read(&picture, picture_keys, &words, failure) != 0)
            return -1;
    } while (json_next(&picture));
    return 0;
}

const struct config_type config_pictures = {
    CONFIG_LIST_OF(CONFIG_TYPE(.form = FORM_OBJECT, .keys = picture_keys)),
    CONFIG_STORED(STORED_PLACE, struct json_at),
    .read = pictures_read,
    .words = "a list of objects with `picture`, and any of `caption`, `leave_out`, `names`, `counts`",
};
