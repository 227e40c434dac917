#!/usr/bin/env python3
"""Make the bundle iso-codes from Debian's package iso-codes.

    iso_bundle.py [--folder DIR] [--limit N] [--pretty] [-o FILE]

Countries, their subdivisions, former countries, languages, language
families, scripts and currencies, as one bundle for kg_apply_bundle().  The
same input always gives the same bytes.  --limit keeps at most N entities a
type and never leaves a reference without its target.
"""
import json
import os
import subprocess

import bundle_file

FOLDER = "/usr/share/iso-codes/json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"

SCOPES = {"I": "individual", "M": "macrolanguage", "S": "special"}
KINDS = {"L": "living", "E": "extinct", "A": "ancient", "H": "historical",
         "C": "constructed", "S": "special"}


def read(folder, name):
    path = os.path.join(folder, "iso_%s.json" % name)
    with open(path, encoding="utf-8") as file:
        return json.load(file)[name]


def version_of(folder):
    """The package's version where the data are the package's own."""
    if os.path.realpath(folder) != FOLDER:
        return "custom"
    try:
        return subprocess.run(
            ["dpkg-query", "-W", "-f=${source:Upstream-Version}", "iso-codes"],
            check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def schema(title, description, id_field, properties, required, **annotations):
    result = {"$schema": DRAFT, "title": title, "description": description,
              "type": "object", "x-id-field": id_field}
    for key, value in annotations.items():
        result["x-" + key.replace("_", "-")] = value
    result["properties"] = properties
    result["required"] = required
    result["additionalProperties"] = False
    return result


def text(description, **more):
    return dict({"type": "string", "minLength": 1, "description": description},
                **more)


def code(description, pattern, **more):
    return dict({"type": "string", "pattern": pattern,
                 "description": description}, **more)


def index(prop):
    return dict(prop, **{"x-index": True})


def country_schema():
    return schema(
        "Country",
        "A country or territory of ISO 3166-1 in force today.",
        "alpha_2",
        {
            "alpha_2": code("Two-letter code; the id.", "^[A-Z]{2}$",
                            examples=["FR", "JP"]),
            "alpha_3": index(code("Three-letter code.", "^[A-Z]{3}$")),
            "numeric": index(code("Three digits, as text.", "^[0-9]{3}$")),
            "name": index(text("Short English name, such as \"France\" or "
                               "\"Moldova, Republic of\".")),
            "official_name": text("Full English name of the state."),
            "common_name": text("The name in everyday use, where it differs."),
            "flag": text("The flag as an emoji."),
            "subdivision_count": {
                "type": "integer", "minimum": 0,
                "x-derived": {"count": "IN_COUNTRY", "direction": "incoming"},
                "description": "How many subdivisions the country has."},
        },
        ["alpha_2", "alpha_3", "numeric", "name", "flag"],
        label_field="name",
        alias_fields=["official_name", "common_name", "alpha_3", "flag"],
        summary_fields=["name", "flag"],
        tool_expose=["list", "get", "list_ids"],
        tool_description="Countries of ISO 3166-1. Ids are two-letter codes "
                         "(FR, not France); search finds a country by any of "
                         "its names.")


def subdivision_schema(kinds):
    return schema(
        "Subdivision",
        "A state, province, region or other part of a country (ISO 3166-2).",
        "code",
        {
            "code": code("Country code, hyphen, local code; the id.",
                         "^[A-Z]{2}-[A-Z0-9]{1,3}$",
                         examples=["FR-IDF", "US-CA"]),
            "name": index(text("Name in the language of the standard.")),
            "kind": {"type": "string", "enum": kinds, "x-index": True,
                     "description": "What the country calls such a part."},
            "country": {"type": "string", "pattern": "^[A-Z]{2}$",
                        "x-index": True, "x-ref": "country",
                        "x-relation": "IN_COUNTRY", "x-on-delete": "restrict",
                        "description": "Two-letter code of its country."},
            "parent": {"type": ["string", "null"], "x-index": True,
                       "x-ref": "subdivision", "x-relation": "PART_OF",
                       "x-on-delete": "set_null",
                       "description": "The subdivision that this one is a "
                                      "part of; missing at the top level."},
        },
        ["code", "name", "kind", "country"],
        label_field="name",
        summary_fields=["name", "kind"],
        tool_expose=["list", "get", "list_ids"],
        tool_description="Subdivisions of countries (ISO 3166-2), about "
                         "5,000: filter by country or kind before listing.")


def former_country_schema():
    return schema(
        "Former country",
        "A country whose code ISO 3166 has withdrawn (ISO 3166-3).",
        "alpha_4",
        {
            "alpha_4": code("Four-letter code; the id.", "^[A-Z]{4}$"),
            "alpha_2": index(code("The two letters it had.", "^[A-Z]{2}$")),
            "alpha_3": index(code("The three letters it had.", "^[A-Z]{3}$")),
            "numeric": {"anyOf": [{"type": "string", "pattern": "^[0-9]{3}$"},
                                  {"type": "null"}],
                        "description": "The three digits it had, if any."},
            "name": index(text("English name.")),
            "withdrawn": {"type": "integer", "minimum": 1974, "x-index": True,
                          "description": "Year in which it was withdrawn."},
            "withdrawal_date": {"type": ["string", "null"], "format": "date",
                                "x-index": True,
                                "description": "The day, where it is known."},
            "comment": text("What became of it."),
        },
        ["alpha_4", "alpha_2", "alpha_3", "name", "withdrawn"],
        label_field="name")


def language_schema():
    return schema(
        "Language",
        "A language of ISO 639-3.",
        "alpha_3",
        {
            "alpha_3": code("Three-letter code; the id.", "^[a-z]{3}$",
                            examples=["fra", "jpn"]),
            "alpha_2": index({"type": ["string", "null"],
                              "pattern": "^[a-z]{2}$",
                              "description": "Two-letter code of ISO 639-1; "
                                             "few languages have one."}),
            "bibliographic": code("Older code, for libraries.", "^[a-z]{3}$"),
            "name": index(text("English name.")),
            "inverted_name": text("The name with its chief word first."),
            "common_name": text("The name in everyday use."),
            "scope": {"type": "string", "x-index": True,
                      "enum": list(SCOPES.values()),
                      "description": "One language, a group treated as one, "
                                     "or a code for special use."},
            "type": {"type": "string", "x-index": True,
                     "enum": list(KINDS.values()),
                     "description": "Whether it is spoken today, and if not "
                                    "since when."},
        },
        ["alpha_3", "name", "scope", "type"],
        label_field="name",
        alias_fields=["inverted_name", "common_name", "alpha_2",
                      "bibliographic"],
        summary_fields=["name"],
        tool_description="Languages of ISO 639-3, about 7,900: search by name, "
                         "or filter by type and scope.")


def simple_schema(title, description, id_field, id_description, pattern,
                  numeric):
    properties = {
        id_field: code(id_description, pattern),
        "name": index(text("English name.")),
    }
    if numeric:
        properties["numeric"] = index(code("Three digits, as text.",
                                           "^[0-9]{3}$"))
    return schema(title, description, id_field, properties, list(properties),
                  label_field="name")


def country(row):
    return {key: row[key] for key in
            ("alpha_2", "alpha_3", "numeric", "name", "official_name",
             "common_name", "flag") if key in row}


def subdivision(row, codes):
    item = {"code": row["code"], "name": row["name"], "kind": row["type"],
            "country": row["code"][:2]}
    if "parent" in row:
        # The parent is a whole code, or one without the country.
        parent = row["parent"]
        item["parent"] = (parent if parent in codes
                          else "%s-%s" % (row["code"][:2], parent))
    return item


def former_country(row):
    item = {"alpha_4": row["alpha_4"], "alpha_2": row["alpha_2"],
            "alpha_3": row["alpha_3"], "numeric": row.get("numeric"),
            "name": row["name"], "withdrawn": int(row["withdrawal_date"][:4]),
            "withdrawal_date": (row["withdrawal_date"]
                                if len(row["withdrawal_date"]) == 10
                                else None)}
    if "comment" in row:
        item["comment"] = row["comment"]
    return item


def language(row):
    item = {key: row[key] for key in
            ("alpha_3", "alpha_2", "bibliographic", "name", "inverted_name",
             "common_name") if key in row}
    item["scope"] = SCOPES[row["scope"]]
    item["type"] = KINDS[row["type"]]
    return item


def first(items, limit):
    return items if limit is None else items[:limit]


def first_subdivisions(items, countries, limit):
    """At most limit subdivisions, with every country and parent kept too."""
    if limit is None:
        return items
    by_code = {item["code"]: item for item in items}

    def depth(item):
        return 0 if "parent" not in item else 1 + depth(
            by_code[item["parent"]])

    known = {item["alpha_2"] for item in countries}
    kept = set()
    for item in sorted(items, key=lambda item: (depth(item), item["code"])):
        if len(kept) < limit and item["country"] in known and (
                "parent" not in item or item["parent"] in kept):
            kept.add(item["code"])
    return [item for item in items if item["code"] in kept]


def bundle(folder, limit):
    rows = read(folder, "3166-2")
    codes = {row["code"] for row in rows}
    countries = first([country(row) for row in read(folder, "3166-1")], limit)
    subdivisions = first_subdivisions(
        [subdivision(row, codes) for row in rows], countries, limit)
    types = [
        ("country", country_schema(), countries),
        ("subdivision",
         subdivision_schema(sorted({row["type"] for row in rows})),
         subdivisions),
        ("former_country", former_country_schema(),
         [former_country(row) for row in read(folder, "3166-3")]),
        ("language", language_schema(),
         [language(row) for row in read(folder, "639-3")]),
        ("language_family",
         simple_schema("Language family", "A family or group of languages "
                       "(ISO 639-5).", "alpha_3", "Three-letter code; the id.",
                       "^[a-z]{3}$", False),
         [{"alpha_3": row["alpha_3"], "name": row["name"]}
          for row in read(folder, "639-5")]),
        ("script",
         simple_schema("Script", "A writing system (ISO 15924).", "alpha_4",
                       "Four-letter code; the id.", "^[A-Z][a-z]{3}$", True),
         [{"alpha_4": row["alpha_4"], "name": row["name"],
           "numeric": row["numeric"]} for row in read(folder, "15924")]),
        ("currency",
         simple_schema("Currency", "A currency or fund (ISO 4217).",
                       "alpha_3", "Three-letter code; the id.", "^[A-Z]{3}$",
                       True),
         [{"alpha_3": row["alpha_3"], "name": row["name"],
           "numeric": row["numeric"]} for row in read(folder, "4217")]),
    ]
    return {
        "bundle_name": "iso-codes",
        "version": version_of(folder),
        "description": "ISO standards as data: countries (3166-1), their "
                       "subdivisions (3166-2), former countries (3166-3), "
                       "languages (639-3), language families (639-5), scripts "
                       "(15924) and currencies (4217).",
        "instructions": "Use these codes instead of remembering them. Ids are "
                        "the standards' own codes: FR, FR-IDF, fra, Latn, EUR. "
                        "When the user gives a name, search for it first and "
                        "use the id that comes back.",
        "schemas": [{"entity_type": name, "schema": types_schema}
                    for name, types_schema, _ in types],
        "entities": [{"entity_type": name, "items": first(items, limit)}
                     for name, _, items in types],
    }


if __name__ == "__main__":
    bundle_file.main(bundle, "Make the bundle iso-codes from Debian's iso-codes.",
                     FOLDER, "where iso_3166-1.json etc. are",
                     "at most N entities of each type", "iso-codes")
