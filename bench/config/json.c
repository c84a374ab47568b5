/* json.c - see json.h.
 *
 * cJSON reads the values; a traversal of the same text, in the order of cJSON's tree, finds where a value is, and any
 * error by RFC 8259. Values are numbered in that order, so the number of a node finds its place in the text. This file
 * is over 500 lines: only the reader of values uses the traversal. */
#include "config/json.h"

#include "support/input.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The text ---- */

enum { JSON_NUMBER_MAX = 60 }; /* characters of a number; cJSON reads no more than 63 */
enum { DEPTH_MAX = 64 };

/* A traversal of a text, which ends with a NUL. */
struct json_scan {
    const char *p, *end;
    const char *expected;     /* what was missing at p when a scan failed */
    size_t seen;              /* values begun so far */
    size_t requested;         /* the value whose extent is asked for; SIZE_MAX: none */
    const char *first, *last; /* of the requested value; last is behind it */
    int depth, external;      /* lists and objects that are open; outside of the requested value */
    uint64_t objects;         /* which of them are objects, the innermost by the lowest bit */
    bool longs;               /* some number so far has so many characters that a double may not hold it */
};

/* Of a text that does not begin as a config does. */
static const char no_json[] = "a config in JSON (data are for ldpbench advise and init)";

static bool missing(struct json_scan *scan, const char *what)
{
    scan->expected = what;
    return false;
}

static void scan_space(struct json_scan *scan)
{
    scan->p += strspn(scan->p, " \t\r\n");
}

/* Skips digits at *p; false: there is none. */
static bool scan_digits(const char **p)
{
    const size_t count = strspn(*p, "0123456789");

    *p += count;
    return count > 0;
}

static bool scan_number(struct json_scan *scan)
{
    const char *p = scan->p + (*scan->p == '-'), *const first = p;
    bool good = scan_digits(&p);

    if (good && *first == '0' && p > first + 1)
        return missing(scan, "a number without leading zeros");
    if (good && *p == '.')
        good = scan_digits((p++, &p));
    if (good && (*p == 'e' || *p == 'E')) {
        p += p[1] == '+' || p[1] == '-' ? 2 : 1;
        good = scan_digits(&p);
    }
    if (!good)
        return missing((scan->p = p, scan), "a digit");
    if (p - scan->p > JSON_NUMBER_MAX)
        return missing(scan, "a number of at most 60 characters");
    scan->longs |= p - scan->p > DBL_DIG;
    scan->p = p;
    return true;
}

/* cJSON refuses all other escapes that are wrong. */
static bool scan_string(struct json_scan *scan)
{
    for (scan->p++; *scan->p != '"'; scan->p += *scan->p == '\\' && scan->p[1] >= ' ' ? 2 : 1) {
        if (scan->p == scan->end || *scan->p == '\n' || *scan->p == '\r')
            return missing(scan, "'\"' at the end of the string");
        if ((unsigned char)*scan->p < ' ')
            return missing(scan, "a string without control characters");
        if (strncmp(scan->p, "\\u", 2) == 0 &&
            (strspn(scan->p + 2, "0123456789abcdefABCDEF") < 4 || strncmp(scan->p + 2, "0000", 4) == 0))
            return missing(scan, "four hexadecimal digits of a character other than NUL");
    }
    scan->p++;
    return true;
}

static bool scan_word(struct json_scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(scan->p, words[i], strlen(words[i])) == 0) {
            scan->p += strlen(words[i]);
            return true;
        }
    return missing(scan, scan->seen > 1 ? "a value" : no_json);
}

/* Goes on where a value begins: over it, or into a list or an object. */
static bool scan_begin(struct json_scan *scan)
{
    if (scan->seen++ == scan->requested) {
        scan->first = scan->p;
        scan->external = scan->depth;
    }
    if (*scan->p == '"')
        return scan_string(scan);
    if (*scan->p == '-' || (*scan->p >= '0' && *scan->p <= '9'))
        return scan_number(scan);
    if (*scan->p != '{' && *scan->p != '[')
        return scan_word(scan);
    if (scan->depth++ == DEPTH_MAX)
        return missing(scan, "at most 64 levels of lists and objects");
    scan->objects = scan->objects << 1 | (*scan->p++ == '{');
    return true;
}

/* The key of a member. */
static bool scan_key(struct json_scan *scan)
{
    if (*scan->p != '"')
        return missing(scan, "a key in double quotes");
    if (!scan_string(scan))
        return false;
    scan_space(scan);
    if (*scan->p != ':')
        return missing(scan, "':' after a key");
    scan->p++;
    scan_space(scan);
    return true;
}

/* Traverses the text, or up to the end of the requested value; false on a syntax error. */
static bool json_scan(struct json_scan *scan)
{
    bool inside = false; /* a list or an object has just begun */

    do {
        const bool object = scan->objects & 1;
        const int depth = scan->depth;

        scan_space(scan);
        if (depth > 0 && *scan->p == (object ? '}' : ']')) {
            scan->p++;
            scan->depth--;
            scan->objects >>= 1;
        } else {
            if (depth > 0 && !inside && *scan->p != ',')
                return missing(scan, object ? "',' or '}'" : "',' or ']'");
            scan->p += depth > 0 && !inside;
            scan_space(scan);
            if ((object && !scan_key(scan)) || !scan_begin(scan))
                return false;
        }
        inside = scan->depth > depth;
        if (scan->first && scan->depth == scan->external) {
            scan->last = scan->p;
            return true;
        }
    } while (scan->depth > 0);
    scan_space(scan);
    return scan->p == scan->end || missing(scan, scan->seen > 1 ? "the end of the file" : no_json);
}

enum { FILE_MAX_MIB = 64, GOT_MAX = 40, PATH_MAX_TEXT = 256, LIST_MAX = 512 };

struct json_file {
    char *name;
    char *text; /* [size], then a NUL */
    size_t size;
    cJSON *root;
    bool longs; /* as in json_scan */
};

static size_t line_of(const struct json_file *file, const char *position)
{
    size_t line = 1;

    for (const char *p = file->text; p < position; p++)
        line += *p == '\n';
    return line;
}

/* A part of the text on one line, with runs of blanks as one, cut after about GOT_MAX bytes. */
static void excerpt(const char *first, const char *last, char text[GOT_MAX + 8])
{
    size_t length = 0, step;
    const char *p = first;

    for (; p < last && length < GOT_MAX; p += step) {
        step = utf8_length(p, last);
        if (step == 0)
            step = 1;
        if (strchr(" \t\r\n", *p)) {
            if (length > 0 && text[length - 1] != ' ')
                text[length++] = ' ';
        } else {
            memcpy(text + length, p, step);
            length += step;
        }
    }
    memcpy(text + length, p < last ? "..." : "", p < last ? 4 : 1);
}

static int syntax_failure(const struct json_file *file, const char *position, const char *expected,
                          struct failure *failure)
{
    const char *const end = file->text + file->size, *stop = position, *first = position;

    while (first > file->text && first[-1] != '\n')
        first--;
    while (stop < end && *stop != '\n' && stop - position < 2 * GOT_MAX)
        stop++;
    char got[GOT_MAX + 8];
    excerpt(position, stop, got);
    if (position == end)
        strcpy(got, "the end of the file");
    else if (*position == '\n' || *position == '\r')
        strcpy(got, "the end of the line");
    else if ((unsigned char)*position < ' ')
        snprintf(got, sizeof got, "the byte 0x%02x", (unsigned)*position);
    return fail(failure, EXIT_BAD_INPUT, "%s:%zu:%zu: expected %s, got %s", file->name, line_of(file, position),
                (size_t)(position - first) + 1, expected, got);
}

static int check_syntax(struct json_file *file, struct failure *failure)
{
    const char *const end = file->text + file->size;

    for (const char *p = file->text; p < end; p += utf8_length(p, end)) {
        if (*p == '\0')
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected JSON text, got a NUL byte", file->name,
                        line_of(file, p));
        if (utf8_length(p, end) == 0)
            return fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected UTF-8 text, got the byte 0x%02x", file->name,
                        line_of(file, p), (unsigned)(unsigned char)*p);
    }
    if (file->size >= 3 && memcmp(file->text, "\xef\xbb\xbf", 3) == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s:1: expected JSON text, got a byte order mark", file->name);
    struct json_scan scan = {.p = file->text, .end = end, .requested = SIZE_MAX};
    if (!json_scan(&scan))
        return syntax_failure(file, scan.p, scan.expected, failure);
    file->longs = scan.longs;
    return 0;
}

/* ---- Files ---- */

/* Takes over text. */
static int file_new(const char *name, char *text, size_t size, struct json_file **out, struct failure *failure)
{
    struct json_file *const file = xcalloc(1, sizeof *file);

    *out = NULL;
    file->text = text;
    file->size = size;
    file->name = xstrdup(name);
    if (check_syntax(file, failure) != 0) {
        json_free(file);
        return -1;
    }
    const char *wrong = text;
    file->root = cJSON_ParseWithLengthOpts(text, size, &wrong, false);
    if (!file->root) { /* all else was checked */
        syntax_failure(file, wrong, "an escape such as \\n, \\\\ or \\u00e9", failure);
        json_free(file);
        return -1;
    }
    *out = file;
    return 0;
}

int json_open(const char *name, const cJSON *tree, struct json_file **out, struct failure *failure)
{
    char *const text = cJSON_PrintUnformatted(tree);
    const int result = json_parse(name, text, strlen(text), out, failure);

    cJSON_free(text);
    return result;
}

int json_parse(const char *name, const char *text, size_t size, struct json_file **out, struct failure *failure)
{
    char *const copy = xcalloc(size + 1, 1);

    memcpy(copy, text, size);
    return file_new(name, copy, size, out, failure);
}

int json_load(const char *path, struct json_file **out, struct failure *failure)
{
    *out = NULL;
    char *text;
    size_t size;
    if (input_read_all(path, FILE_MAX_MIB, &text, &size, failure) != 0)
        return -1;
    return file_new(input_name(path), text, size, out, failure);
}

void json_free(struct json_file *file)
{
    if (!file)
        return;
    cJSON_Delete(file->root);
    free(file->text);
    free(file->name);
    free(file);
}

const char *json_text(const struct json_file *file)
{
    return file->text;
}

struct json_at json_root(const struct json_file *file)
{
    return (struct json_at){.file = file, .node = file->root};
}

const char *json_name(const struct json_at *at)
{
    return at->file->name;
}

static bool is(const cJSON *node, int type)
{
    return (node->type & 0xff) == type;
}

/* ---- Places ---- */

/* Appends to a path; what does not fit is left out. */
__attribute__((format(printf, 3, 4))) static size_t path_append(char path[PATH_MAX_TEXT], size_t length,
                                                                const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int more = vsnprintf(path + length, PATH_MAX_TEXT - length, format, arguments);
    va_end(arguments);
    if (more < 0 || (size_t)more >= PATH_MAX_TEXT - length) {
        path[length] = '\0';
        return length;
    }
    return length + (size_t)more;
}

/* Traverses the tree to a node: its number and its path. */
static bool node_find(const cJSON *from, const cJSON *node, size_t *number, char path[PATH_MAX_TEXT], size_t length)
{
    if (from == node)
        return true;
    const cJSON *child;
    size_t index = 0;
    cJSON_ArrayForEach(child, from)
    {
        const size_t longer = is(from, cJSON_Object)
                                  ? path_append(path, length, "%s%s", length ? "." : "", child->string)
                                  : path_append(path, length, "[%zu]", index++);
        ++*number;
        if (node_find(child, node, number, path, longer))
            return true;
        path[length] = '\0';
    }
    return false;
}

struct text_position {
    size_t line;
    const char *first, *last; /* its text */
    char path[PATH_MAX_TEXT];
};

static struct text_position position_of(const struct json_at *at)
{
    struct json_scan scan = {.p = at->file->text, .end = at->file->text + at->file->size};
    struct text_position position = {0};

    node_find(at->file->root, at->node, &scan.requested, position.path, 0);
    json_scan(&scan);
    position.first = scan.first;
    position.last = scan.last;
    position.line = line_of(at->file, scan.first);
    return position;
}

static int fail_at(const struct json_at *at, const struct text_position *position, const char *text, const char *got,
                   struct failure *failure)
{
    fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s%s%s%s%s%s", at->file->name, position->line, position->path,
         position->path[0] ? ": " : "", got ? "expected " : "", text, got ? ", got " : "", got ? got : "");
    return -1;
}

int json_fail(const struct json_at *at, struct failure *failure, const char *format, ...)
{
    struct text_position position = position_of(at);
    va_list arguments;

    va_start(arguments, format);
    char text[sizeof failure->text];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail_at(at, &position, text, NULL, failure);
}

int json_expected(const struct json_at *at, struct failure *failure, const char *format, ...)
{
    struct text_position position = position_of(at);
    va_list arguments;

    va_start(arguments, format);
    char text[sizeof failure->text];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char got[GOT_MAX + 8];
    excerpt(position.first, position.last, got);
    return fail_at(at, &position, text, got, failure);
}

/* ---- Objects and lists ---- */

/* "a, b, c"; what does not fit is left out. */
static void names_list(const char *const *names, char *list, size_t size)
{
    list[0] = '\0';
    size_t length = 0;
    for (size_t i = 0; names[i] && length + strlen(names[i]) + 3 < size; i++)
        length += (size_t)snprintf(list + length, size - length, "%s%s", i ? ", " : "", names[i]);
}

/* About a key of an object: the object's path, the member's line. */
static int fail_key(const struct json_at *object, const cJSON *member, const char *const *names, bool known,
                    struct failure *failure)
{
    const struct json_at at = {.file = object->file, .node = member};
    const char *const nearest = name_nearest(member->string, names);
    struct text_position position = position_of(object);

    position.line = position_of(&at).line;
    char key[GOT_MAX + 8];
    excerpt(member->string, member->string + strlen(member->string), key);
    char text[LIST_MAX + GOT_MAX + 64];
    if (known)
        snprintf(text, sizeof text, "expected each key once, got \"%s\" twice", key);
    else if (nearest)
        snprintf(text, sizeof text, "unknown key \"%s\", did you mean \"%s\"?", key, nearest);
    else {
        char list[LIST_MAX];
        names_list(names, list, sizeof list);
        snprintf(text, sizeof text, "unknown key \"%s\", expected one of %s", key, list);
    }
    return fail_at(object, &position, text, NULL, failure);
}

int json_keys(const struct json_at *object, const char *const *known, struct failure *failure)
{
    if (!is(object->node, cJSON_Object))
        return json_expected(object, failure, "an object in braces");
    bool given[NAMES_MAX] = {false};
    const cJSON *child;
    cJSON_ArrayForEach(child, object->node)
    {
        size_t i;
        for (i = 0; known[i] && strcmp(known[i], child->string) != 0; i++)
            continue;
        if (!known[i] || given[i])
            return fail_key(object, child, known, known[i] != NULL, failure);
        given[i] = true;
    }
    return 0;
}

bool json_member(const struct json_at *object, const char *key, struct json_at *member)
{
    const cJSON *const node =
        is(object->node, cJSON_Object) ? cJSON_GetObjectItemCaseSensitive(object->node, key) : NULL;

    *member = (struct json_at){.file = object->file, .node = node};
    return node != NULL;
}

int json_require(const struct json_at *object, const char *key, struct json_at *member, struct failure *failure)
{
    if (json_member(object, key, member))
        return 0;
    if (!is(object->node, cJSON_Object))
        return json_expected(object, failure, "an object with the key \"%s\"", key);
    return json_fail(object, failure, "missing key \"%s\"", key);
}

bool json_is_string(const struct json_at *at)
{
    return is(at->node, cJSON_String);
}

bool json_is_number(const struct json_at *at)
{
    return is(at->node, cJSON_Number);
}

bool json_is_list(const struct json_at *at)
{
    return is(at->node, cJSON_Array);
}

bool json_is_object(const struct json_at *at)
{
    return is(at->node, cJSON_Object);
}

int json_list(const struct json_at *at, const char *what, struct json_at *first, size_t *count, struct failure *failure)
{
    if (!is(at->node, cJSON_Array))
        return json_expected(at, failure, "%s", what);
    if (!at->node->child)
        return json_expected(at, failure, "at least one element");
    *first = (struct json_at){.file = at->file, .node = at->node->child};
    *count = 0;
    for (const cJSON *child = at->node->child; child; child = child->next)
        ++*count;
    return 0;
}

bool json_next(struct json_at *element)
{
    element->node = element->node->next;
    return element->node != NULL;
}

/* ---- Values ---- */

const char *format_range(bool integer, double min, double max, char text[RANGE_TEXT])
{
    const char *const kind = integer ? "an integer" : "a number";
    const struct range range = range_of(min, max);
    const char *const low = format_number(range.min, (char[NUMBER_TEXT]){0}), *const high = format_number(
                                                                                  range.max, (char[NUMBER_TEXT]){0});

    if (range.has_min && range.has_max && !range.min_open && !range.max_open)
        snprintf(text, RANGE_TEXT, "%s from %s to %s", kind, low, high);
    else if (range.has_min && range.has_max)
        snprintf(text, RANGE_TEXT, "%s %s %s and %s %s", kind, range.min_open ? ">" : ">=", low,
                 range.max_open ? "<" : "<=", high);
    else if (range.has_min)
        snprintf(text, RANGE_TEXT, "%s %s %s", kind, range.min_open ? ">" : ">=", low);
    else if (range.has_max)
        snprintf(text, RANGE_TEXT, "%s %s %s", kind, range.max_open ? "<" : "<=", high);
    else
        snprintf(text, RANGE_TEXT, "%s", kind);
    return text;
}

int json_number(const struct json_at *at, double min, double max, double *out, struct failure *failure)
{
    char range[RANGE_TEXT];

    if (!is(at->node, cJSON_Number) || !isfinite(at->node->valuedouble) || at->node->valuedouble < min ||
        at->node->valuedouble > max)
        return json_expected(at, failure, "%s", format_range(false, min, max, range));
    *out = at->node->valuedouble + 0.0; /* -0 becomes 0 */
    return 0;
}

/* The significant digits of a number's text, and the power of ten of the last. */
struct decimal {
    char digits[JSON_NUMBER_MAX];
    size_t count;
    long power;
};

static struct decimal decimal_of(const char *text, size_t length)
{
    enum { POWER_MAX = 9999 };
    struct decimal out = {.count = 0};
    size_t i = 0, zeros = 0;
    bool point = false;
    for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        point |= text[i] == '.';
        if (text[i] < '0')
            continue;
        out.power -= point;
        zeros++;
        if (text[i] == '0')
            continue;
        for (; zeros > 1 && out.count > 0; zeros--)
            out.digits[out.count++] = '0';
        out.digits[out.count++] = text[i];
        zeros = 0;
    }
    const long power = i < length ? strtol(text + i + 1, NULL, 10) : 0;
    out.power += (long)zeros + (power > POWER_MAX ? POWER_MAX : power < -POWER_MAX ? -POWER_MAX : power);
    return out;
}

/* Whether a number's text means another number than the double that it was read into, as 2^53 + 1 does. */
static bool text_differs(const struct json_at *at, double value)
{
    const struct text_position position = position_of(at);
    char whole[NUMBER_TEXT];
    snprintf(whole, sizeof whole, "%.0f", value);
    const struct decimal is = decimal_of(whole, strlen(whole)),
                         was = decimal_of(position.first, (size_t)(position.last - position.first));
    return was.count != is.count || memcmp(was.digits, is.digits, is.count) != 0 ||
           (is.count > 0 && was.power != is.power);
}

int json_integer(const struct json_at *at, uint64_t min, uint64_t max, uint64_t *out, struct failure *failure)
{
    const double value = is(at->node, cJSON_Number) ? at->node->valuedouble : NAN;
    char range[RANGE_TEXT];

    if (!(value >= (double)min && value <= (double)max && value == floor(value)) ||
        ((at->file->longs || value == 0) && text_differs(at, value)))
        return json_expected(at, failure, "%s", format_range(true, (double)min, (double)max, range));
    *out = (uint64_t)value;
    return 0;
}

int json_string(const struct json_at *at, const char **out, struct failure *failure)
{
    if (!is(at->node, cJSON_String))
        return json_expected(at, failure, "a string");
    *out = at->node->valuestring;
    return 0;
}

int json_flag(const struct json_at *at, bool *out, struct failure *failure)
{
    if (!is(at->node, cJSON_True) && !is(at->node, cJSON_False))
        return json_expected(at, failure, "true or false");
    *out = is(at->node, cJSON_True);
    return 0;
}

int json_choice(const struct json_at *at, const char *what, const char *const *names, size_t *out,
                struct failure *failure)
{
    const char *const text = is(at->node, cJSON_String) ? at->node->valuestring : NULL;
    size_t count = 0;

    for (; names[count]; count++)
        if (text && strcmp(names[count], text) == 0) {
            *out = count;
            return 0;
        }
    char list[LIST_MAX];
    names_list(names, list, sizeof list);
    char expected[LIST_MAX + 64];
    snprintf(expected, sizeof expected, "%s%s", what ? what : "one of ", what ? "" : list);
    struct text_position position = position_of(at);
    char got[3 * GOT_MAX];
    excerpt(position.first, position.last, got);
    const char *const nearest = text ? name_nearest(text, names) : NULL;
    if (nearest)
        snprintf(got + strlen(got), sizeof got - strlen(got), ", did you mean \"%s\"?", nearest);
    return fail_at(at, &position, expected, got, failure);
}

/* ---- Distinct keys ---- */

static int by_key(const void *a, const void *b)
{
    const cJSON *const *const first = a, *const *const second = b;

    return strcmp((*first)->string, (*second)->string);
}

/* The second member of an object with a key that another one has; NULL: all keys differ. sorted: room for all members.
 */
static const cJSON *member_twice(const cJSON *object, const cJSON **sorted)
{
    const cJSON *child;
    size_t count = 0;

    cJSON_ArrayForEach(child, object) sorted[count++] = child;
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, by_key);
    for (size_t i = 1; i < count; i++) {
        if (by_key(&sorted[i - 1], &sorted[i]) != 0)
            continue;
        child = cJSON_GetObjectItemCaseSensitive(object, sorted[i]->string);
        do
            child = child->next;
        while (strcmp(child->string, sorted[i]->string) != 0);
        return child;
    }
    return NULL;
}

int json_distinct(const struct json_at *at, struct failure *failure)
{
    if (json_is_object(at)) {
        const cJSON **const sorted = xcalloc((size_t)cJSON_GetArraySize(at->node), sizeof *sorted);
        const struct json_at twice = {.file = at->file, .node = member_twice(at->node, sorted)};
        free(sorted);
        if (twice.node)
            return json_fail(&twice, failure, "expected each key once, got \"%s\" twice", SHOWN(twice.node->string));
    }
    struct json_at child = {.file = at->file};
    cJSON_ArrayForEach(child.node, at->node) if (json_distinct(&child, failure) != 0) return -1;
    return 0;
}
