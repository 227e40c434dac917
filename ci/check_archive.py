#!/usr/bin/env python3
"""The release archive against the PGXN Meta Spec 1.0 (https://pgxn.org/spec/):
what META.json must have, and that every file it names is in the archive.

    check_archive.py dist/kg_graph-0.1.0.zip
"""
import json
import re
import sys
import zipfile

# Semantic versions, as the specification wants them.
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$")
TERM = re.compile(r"[^\s/\\\x00-\x1f\x7f]{2,}$")
KNOWN = {"name", "version", "abstract", "maintainer", "license", "provides", "meta-spec", "description",
         "generated_by", "tags", "no_index", "prereqs", "release_status", "resources"}
REQUIRED = ["name", "version", "abstract", "maintainer", "license", "provides", "meta-spec"]
LICENSES = {"agpl_3", "apache_1_1", "apache_2_0", "artistic_1", "artistic_2", "bsd", "freebsd", "gfdl_1_2", "gfdl_1_3",
            "gpl_1", "gpl_2", "gpl_3", "lgpl_2_1", "lgpl_3_0", "mit", "mozilla_1_0", "mozilla_1_1", "openssl",
            "perl_5", "postgresql", "qpl_1_0", "ssleay", "sun", "zlib", "open_source", "restricted", "unrestricted", "unknown"}


def faults(meta, prefix, files):
    for key in REQUIRED:
        if not meta.get(key):
            yield f"{key} is missing"
    for key in meta:
        if key not in KNOWN and not re.match(r"[xX]_.", key):
            yield f"{key} is unknown"
    if not TERM.match(meta["name"]):
        yield f"name {meta['name']!r} is no term"
    if meta["license"] not in LICENSES:
        yield f"license {meta['license']!r} is unknown"
    if meta["meta-spec"]["version"] != "1.0.0":
        yield "meta-spec is not 1.0.0"
    for tag in meta.get("tags", []):
        if not 2 <= len(tag) < 256 or re.search(r"[/\\\x00-\x1f]", tag):
            yield f"tag {tag!r} is none"
    for what, version in [("version", meta["version"])] + [(n, e["version"]) for n, e in meta["provides"].items()]:
        if not VERSION.match(version):
            yield f"{what}: {version!r} is no semantic version"
    if prefix != f"{meta['name']}-{meta['version']}/":
        yield f"the archive's folder is {prefix}"
    for name, extension in meta["provides"].items():
        for key in ("file", "docfile"):
            if key in extension and prefix + extension[key] not in files:
                yield f"{name}: {key} {extension[key]} is not in the archive"
    for phase, relations in meta.get("prereqs", {}).items():
        if phase not in ("configure", "build", "test", "runtime", "develop"):
            yield f"prereqs: {phase} is no phase"
        for relation in relations:
            if relation not in ("requires", "recommends", "suggests", "conflicts"):
                yield f"prereqs: {relation} is no relation"


with zipfile.ZipFile(sys.argv[1]) as archive:
    names = archive.namelist()
    folder = names[0].split("/")[0] + "/"
    meta = json.loads(archive.read(folder + "META.json"))
    control = archive.read(folder + "kg_graph.control").decode()
found = list(faults(meta, folder, set(names)))
if f"default_version = '{meta['version']}'" not in control:
    found.append(f"kg_graph.control does not say {meta['version']}")
if any(not n.startswith(folder) for n in names) or len(names) != len(set(names)):
    found.append("a file is outside of the folder, or there twice")
for fault in found:
    print(fault, file=sys.stderr)
sys.exit(1 if found else 0)
