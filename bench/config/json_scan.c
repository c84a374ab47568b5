/* json_scan.c - see json_scan.h. */
#include "config/json_scan.h"

#include <float.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

static bool missing(struct json_scan *scan, const char *what)
{
    scan->expected = what;
    return false;
}

static bool ahead(const struct json_scan *scan, const char *set)
{
    return scan->p < scan->end && *scan->p && strchr(set, *scan->p);
}

void json_scan_space(struct json_scan *scan)
{
    while (ahead(scan, " \t\r\n"))
        scan->p++;
}

static bool scan_digits(struct json_scan *scan)
{
    if (!ahead(scan, "0123456789"))
        return missing(scan, "a digit");
    while (ahead(scan, "0123456789"))
        scan->p++;
    return true;
}

static bool scan_number(struct json_scan *scan)
{
    const char *const start = scan->p;

    if (ahead(scan, "-"))
        scan->p++;
    if (ahead(scan, "0")) {
        scan->p++;
        if (ahead(scan, "0123456789")) {
            scan->p = start;
            return missing(scan, "a number without leading zeros");
        }
    } else if (!scan_digits(scan))
        return false;
    if (ahead(scan, ".")) {
        scan->p++;
        if (!scan_digits(scan))
            return false;
    }
    if (ahead(scan, "eE")) {
        scan->p++;
        if (ahead(scan, "+-"))
            scan->p++;
        if (!scan_digits(scan))
            return false;
    }
    if (scan->p - start > JSON_NUMBER_MAX) {
        scan->p = start;
        return missing(scan, "a number of at most 60 characters");
    }
    scan->longs |= scan->p - start > DBL_DIG;
    return true;
}

static bool scan_hex(struct json_scan *scan, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, scan->p++) {
        if (!ahead(scan, "0123456789abcdefABCDEF"))
            return missing(scan, "four hexadecimal digits");
        *code = *code * 16 + (unsigned)(*scan->p <= '9' ? *scan->p - '0' : (*scan->p | 0x20) - 'a' + 10);
    }
    return true;
}

static bool scan_escape(struct json_scan *scan)
{
    const char *const start = scan->p++;

    if (ahead(scan, "\"\\/bfnrt")) {
        scan->p++;
        return true;
    }
    if (!ahead(scan, "u"))
        return scan->p = start, missing(scan, "an escape of JSON");
    scan->p++;
    unsigned code;
    if (!scan_hex(scan, &code))
        return false;
    if (code == 0)
        return scan->p = start, missing(scan, "a string without NUL");
    if (code >= 0xd800 && code < 0xdc00 && scan->end - scan->p > 2 && scan->p[0] == '\\' && scan->p[1] == 'u') {
        scan->p += 2;
        unsigned low;
        if (!scan_hex(scan, &low))
            return false;
        if (low >= 0xdc00 && low < 0xe000)
            return true;
    }
    if (code >= 0xd800 && code < 0xe000)
        return scan->p = start, missing(scan, "a pair of surrogates");
    return true;
}

static bool scan_string(struct json_scan *scan)
{
    if (!ahead(scan, "\""))
        return missing(scan, "a string in double quotes");
    for (scan->p++; scan->p < scan->end && *scan->p != '"';) {
        if ((unsigned char)*scan->p < ' ')
            return missing(scan, *scan->p == '\n' || *scan->p == '\r' ? "'\"' at the end of the string"
                                                                      : "a string without control characters");
        if (*scan->p != '\\')
            scan->p++;
        else if (!scan_escape(scan))
            return false;
    }
    if (scan->p == scan->end)
        return missing(scan, "'\"' at the end of the string");
    scan->p++;
    return true;
}

static bool scan_members(struct json_scan *scan, bool object)
{
    const char *const end = object ? "}" : "]";

    scan->p++;
    json_scan_space(scan);
    if (ahead(scan, end)) {
        scan->p++;
        return true;
    }
    for (;;) {
        if (object) {
            json_scan_space(scan);
            if (!ahead(scan, "\""))
                return missing(scan, "a key in double quotes");
            if (!scan_string(scan))
                return false;
            json_scan_space(scan);
            if (!ahead(scan, ":"))
                return missing(scan, "':' after a key");
            scan->p++;
        }
        if (!json_scan_value(scan))
            return false;
        json_scan_space(scan);
        if (ahead(scan, end)) {
            scan->p++;
            return true;
        }
        if (!ahead(scan, ","))
            return missing(scan, object ? "',' or '}'" : "',' or ']'");
        scan->p++;
    }
}

static bool scan_word(struct json_scan *scan, const char *word)
{
    const size_t length = strlen(word);

    if ((size_t)(scan->end - scan->p) < length || memcmp(scan->p, word, length) != 0)
        return missing(scan, "a value");
    scan->p += length;
    return true;
}

bool json_scan_value(struct json_scan *scan)
{
    const size_t number = scan->seen++;

    json_scan_space(scan);
    const char *const first = scan->p;
    if (scan->depth == DEPTH_MAX)
        return missing(scan, "at most 64 levels of lists and objects");
    scan->depth++;
    bool good;
    if (ahead(scan, "{["))
        good = scan_members(scan, *scan->p == '{');
    else if (ahead(scan, "\""))
        good = scan_string(scan);
    else if (ahead(scan, "-0123456789"))
        good = scan_number(scan);
    else if (ahead(scan, "t"))
        good = scan_word(scan, "true");
    else if (ahead(scan, "f"))
        good = scan_word(scan, "false");
    else
        good = ahead(scan, "n") ? scan_word(scan, "null") : missing(scan, "a value");
    scan->depth--;
    if (good && number == scan->wanted) {
        scan->first = first;
        scan->last = scan->p;
    }
    return good;
}
