#!/usr/bin/env python3
"""Make the bundle wordnet from Debian's package wordnet-base.

    wordnet_bundle.py [--folder DIR] [--limit N] [--pretty] [-o FILE]

One entity a synset (about 117,000), named like dog.n.01 (first lemma, part of
speech, sense number of that lemma), its lemmas as aliases, and WordNet's
pointers as declared relations.  A pointer and its mirror image (hypernym and
hyponym) are stored once.  The same input always gives the same bytes.
--limit keeps N synsets, the nearest to the roots first, and the edges between
them.
"""
import os
import re
import sys

import bundle_file

FOLDER = "/usr/share/wordnet"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
FILES = ("noun", "verb", "adj", "adv")
FILE_OF = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
POS = {"n": "noun", "v": "verb", "a": "adjective",
       "s": "adjective_satellite", "r": "adverb"}
SENSE_KEY_NUMBER = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}

# lexnames(5WN): the number of a lexicographer's file is its place here.
LEXNAMES = """adj.all adj.pert adv.all noun.Tops noun.act noun.animal
noun.artifact noun.attribute noun.body noun.cognition noun.communication
noun.event noun.feeling noun.food noun.group noun.location noun.motive
noun.object noun.person noun.phenomenon noun.plant noun.possession
noun.process noun.quantity noun.relation noun.shape noun.state noun.substance
noun.time verb.body verb.change verb.cognition verb.communication
verb.competition verb.consumption verb.contact verb.creation verb.emotion
verb.motion verb.perception verb.possession verb.social verb.stative
verb.weather adj.ppl""".split()

# Pointer symbol: relation, inverse name (None: symmetric), whether its pairs
# of words are kept.  What is not listed is the mirror image of one that is.
RELATIONS = {
    "@": ("HYPERNYM", "HYPONYM", False),
    "@i": ("INSTANCE_OF", "HAS_INSTANCE", False),
    "#m": ("MEMBER_OF", "HAS_MEMBER", False),
    "#s": ("SUBSTANCE_OF", "HAS_SUBSTANCE", False),
    "#p": ("PART_OF", "HAS_PART", False),
    "*": ("ENTAILS", "ENTAILED_BY", False),
    ">": ("CAUSES", "CAUSED_BY", False),
    "!": ("ANTONYM", None, True),
    "&": ("SIMILAR_TO", None, False),
    "=": ("ATTRIBUTE", None, False),
    "$": ("VERB_GROUP", None, False),
    "+": ("DERIVATION", None, True),
    "^": ("ALSO_SEE", "ALSO_SEEN_FROM", False),
    "<": ("PARTICIPLE_OF", "HAS_PARTICIPLE", True),
    "\\": ("PERTAINS_TO", "HAS_PERTAINYM", True),
    ";c": ("IN_TOPIC", "TOPIC_OF", False),
    ";r": ("IN_REGION", "REGION_OF", False),
    ";u": ("IN_USAGE", "USAGE_OF", False),
}

PAIRS_SCHEMA = {
    "$schema": DRAFT,
    "type": "object",
    "properties": {
        "pairs": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "array", "minItems": 2, "maxItems": 2,
                      "items": {"type": "string"}},
            "description": "The lemmas that the relation joins: one of the "
                           "edge's start, one of its end."},
    },
    "required": ["pairs"],
    "additionalProperties": False,
}


class Synset:
    """One line of a data file."""

    def __init__(self, line):
        left, _, gloss = line.rstrip("\n").partition(" | ")
        part = left.split()
        self.offset = part[0]
        self.lexname = LEXNAMES[int(part[1])]
        self.pos = part[2]
        count = int(part[3], 16)
        # An adjective's place in a phrase, such as (a), is not of its name.
        self.words = [re.sub(r"\((?:a|p|ip)\)$", "", word)
                      for word in part[4:4 + 2 * count:2]]
        self.lex_ids = [int(lex, 16) for lex in part[5:5 + 2 * count:2]]
        at = 4 + 2 * count
        self.pointers = []
        for i in range(int(part[at])):
            symbol, offset, pos, ends = part[at + 1 + 4 * i:at + 5 + 4 * i]
            self.pointers.append((symbol, (FILE_OF[pos], offset),
                                  int(ends[:2], 16), int(ends[2:], 16)))
        self.gloss = gloss.strip()
        self.id = None
        self.frequency = 0

    def lemmas(self):
        return list(dict.fromkeys(w.replace("_", " ") for w in self.words))


def lines(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("  "):
                yield line


def read_synsets(folder):
    return {(name, synset.offset): synset for name in FILES
            for synset in map(Synset, lines(folder, "data." + name))}


def read_senses(folder):
    """(file, lemma, offset): the sense's number."""
    senses = {}
    for name in FILES:
        for line in lines(folder, "index." + name):
            part = line.split()
            for number, offset in enumerate(part[-int(part[2]):], 1):
                senses[name, part[0], offset] = number
    return senses


def read_counts(folder):
    """Sense key: how often the sense was tagged."""
    counts = {}
    for line in lines(folder, "cntlist.rev"):
        key, _, count = line.split()
        counts[key] = int(count)
    return counts


def sense_keys(synset, synsets):
    head = ":"
    if synset.pos == "s":
        for symbol, target, _, _ in synset.pointers:
            if symbol == "&":
                cluster = synsets[target]
                head = "%s:%02d" % (cluster.words[0].lower(),
                                    cluster.lex_ids[0])
                break
    for word, lex_id in zip(synset.words, synset.lex_ids):
        yield "%s%%%d:%02d:%02d:%s" % (
            word.lower(), SENSE_KEY_NUMBER[synset.pos],
            LEXNAMES.index(synset.lexname), lex_id, head)


def name_synsets(folder, synsets):
    senses = read_senses(folder)
    counts = read_counts(folder)
    for (name, offset), synset in synsets.items():
        word = synset.words[0].lower()
        synset.id = "%s.%s.%02d" % (word, synset.pos,
                                    senses[name, word, offset])
        synset.frequency = sum(counts.get(key, 0)
                               for key in sense_keys(synset, synsets))
    if len({synset.id for synset in synsets.values()}) != len(synsets):
        sys.exit("wordnet_bundle.py: two synsets have one name")


def entity(synset):
    lemmas = synset.lemmas()
    parts = [part.strip() for part in re.split(r';\s*(?=")', synset.gloss)]
    item = {
        "id": synset.id,
        "label": lemmas[0],
        "lemmas": lemmas,
        "pos": POS[synset.pos],
        "lexname": synset.lexname,
        "frequency": synset.frequency,
        "definition": parts[0],
    }
    if len(parts) > 1:
        item["examples"] = [part.strip('"') for part in parts[1:]]
    return item


def nearest_to_roots(synsets, limit):
    """The keys of limit synsets, breadth first along HYPONYM from the roots."""
    order = {key: None for key, synset in synsets.items()
             if not any(p[0] in ("@", "@i") for p in synset.pointers)
             and synset.pos == "n"}
    queue = list(order)
    for key in queue:
        for symbol, target, _, _ in synsets[key].pointers:
            if symbol in ("~", "~i", "%p", "+", "!") and target not in order:
                order[target] = None
                queue.append(target)
        if len(order) >= limit:
            break
    return set(list(order)[:limit])


def edges(synsets):
    """Every pointer once, its words collected: {(relation, from, to): pairs}"""
    found = {}
    for synset in synsets.values():
        for symbol, target, source_word, target_word in synset.pointers:
            if symbol not in RELATIONS or target not in synsets:
                continue
            relation, inverse, lexical = RELATIONS[symbol]
            other = synsets[target]
            one, two = synset, other
            pair = None
            if lexical and source_word and target_word:
                pair = [synset.words[source_word - 1].replace("_", " "),
                        other.words[target_word - 1].replace("_", " ")]
            if inverse is None and two.id < one.id:
                one, two = two, one
                pair = pair and pair[::-1]
            pairs = found.setdefault((relation, one.id, two.id), [])
            if pair and pair not in pairs:
                pairs.append(pair)
    result = []
    for (relation, one, two), pairs in sorted(found.items()):
        edge = {"relation": relation, "from": "synset:" + one,
                "to": "synset:" + two}
        if pairs:
            edge["properties"] = {"pairs": pairs}
        result.append(edge)
    return result


def synset_schema():
    return {
        "$schema": DRAFT,
        "title": "Synset",
        "description": "One meaning, and the words that have it.",
        "type": "object",
        "x-id-field": "id",
        "x-label-field": "label",
        "x-alias-fields": ["lemmas"],
        "x-summary-fields": ["definition"],
        "x-tool-expose": ["list", "get", "list_ids"],
        "x-tool-description": "Meanings of English words. Search by a word; "
                              "each result is one of its meanings.",
        "properties": {
            "id": {"type": "string",
                   "pattern": "^[^ ]+\\.[nvasr]\\.[0-9]{2,}$",
                   "description": "First lemma, part of speech, number of the "
                                  "sense: dog.n.01."},
            "label": {"type": "string", "minLength": 1,
                      "description": "The first lemma, with blanks."},
            "lemmas": {"type": "array", "minItems": 1, "uniqueItems": True,
                       "items": {"type": "string", "minLength": 1},
                       "description": "The words with this meaning."},
            "pos": {"type": "string", "enum": list(POS.values()),
                    "x-index": True, "description": "Part of speech."},
            "lexname": {"type": "string", "enum": LEXNAMES, "x-index": True,
                        "description": "The file of the lexicographers: a "
                                       "rough subject."},
            "frequency": {"type": "integer", "minimum": 0, "x-index": True,
                          "description": "How often the meaning was found in "
                                         "tagged texts."},
            "definition": {"type": "string"},
            "examples": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["id", "label", "lemmas", "pos", "lexname", "frequency",
                     "definition"],
        "additionalProperties": False,
    }


def relations():
    result = []
    for name, inverse, lexical in RELATIONS.values():
        relation = {"name": name, "from": "synset", "to": "synset"}
        if inverse is None:
            relation["symmetric"] = True
        else:
            relation["inverse"] = inverse
        if lexical:
            relation["schema"] = PAIRS_SCHEMA
        result.append(relation)
    return result


def bundle(folder, limit):
    synsets = read_synsets(folder)
    name_synsets(folder, synsets)
    if limit is not None:
        kept = nearest_to_roots(synsets, limit)
        synsets = {key: synset for key, synset in synsets.items()
                   if key in kept}
    return {
        "bundle_name": "wordnet",
        "version": "3.0",
        "description": "WordNet: meanings of English words and how they "
                       "relate.",
        "instructions": "An entity is a meaning, not a word: search for the "
                        "word, choose among its meanings by definition, then "
                        "follow relations. HYPERNYM leads to the more general "
                        "meaning, HYPONYM to more special ones.",
        "schemas": [{"entity_type": "synset", "schema": synset_schema()}],
        "relations": relations(),
        "entities": [{"entity_type": "synset",
                      "items": [entity(s) for s in synsets.values()]}],
        "edges": edges(synsets),
    }


if __name__ == "__main__":
    bundle_file.main(bundle, "Make the bundle wordnet from Debian's wordnet-base.",
                     FOLDER, "where data.noun etc. are",
                     "only the N synsets nearest to the roots", "wordnet-base")
