"""The example data of LDBC's Social Network Benchmark, Interactive: as a bundle of kg_graph with files of
entities and edges, and as plain tables with indexes on every key and policies by tenant."""
import csv
import datetime
import json
import os
from collections import defaultdict

# A copy of the dynamic part has ids of its own. Places, tags and organisations are shared.
COPY = 10 ** 15
TEXT = {"type": "string"}
INDEXED = {"type": "string", "x-index": True}
INSTANT = {"type": "string", "format": "date-time", "x-index": True}
RELATIONS = [("KNOWS", "person", "person", "creationDate"), ("LIKES", "person", "message", "creationDate"),
             ("STUDY_AT", "person", "organisation", "classYear"), ("WORK_AT", "person", "organisation", "workFrom"),
             ("HAS_MEMBER", "forum", "person", "joinDate")]


def reference(entity_type, relation):
    return {"type": "string", "x-ref": entity_type, "x-relation": relation, "x-index": True}


def references(entity_type, relation):
    return {"type": "array", "items": {"type": "string", "x-ref": entity_type, "x-relation": relation}}


TYPES = {
    "place": ("name", {"name": INDEXED, "url": TEXT, "kind": {"enum": ["continent", "country", "city"], "x-index": True}, "partOf": reference("place", "IS_PART_OF")}),
    "tagclass": ("name", {"name": INDEXED, "url": TEXT, "subclassOf": reference("tagclass", "IS_SUBCLASS_OF")}),
    "tag": ("name", {"name": INDEXED, "url": TEXT, "hasType": reference("tagclass", "HAS_TYPE")}),
    "organisation": ("name", {"name": INDEXED, "url": TEXT, "kind": {"enum": ["company", "university"], "x-index": True}, "place": reference("place", "ORG_LOCATED_IN")}),
    "person": ("lastName", {"firstName": INDEXED, "lastName": INDEXED, "gender": INDEXED, "birthday": {"type": "string", "format": "date", "x-index": True}, "creationDate": INSTANT, "locationIP": TEXT, "browserUsed": TEXT, "place": reference("place", "PERSON_LOCATED_IN"), "emails": {"type": "array", "items": TEXT}, "languages": {"type": "array", "items": TEXT}, "interests": references("tag", "HAS_INTEREST")}),
    "forum": ("title", {"title": TEXT, "creationDate": INSTANT, "moderator": reference("person", "HAS_MODERATOR"), "tags": references("tag", "FORUM_HAS_TAG")}),
    "message": (None, {"kind": {"enum": ["post", "comment"], "x-index": True}, "creationDate": INSTANT, "locationIP": TEXT, "browserUsed": TEXT, "language": TEXT, "content": TEXT, "imageFile": TEXT, "length": {"type": "integer", "x-index": True}, "creator": reference("person", "HAS_CREATOR"), "forum": reference("forum", "IN_FORUM"), "place": reference("place", "MESSAGE_LOCATED_IN"), "replyOf": reference("message", "REPLY_OF"), "tags": references("tag", "HAS_TAG")}),
}


def bundle():
    schemas = []
    for name, (label, properties) in TYPES.items():
        schema = {"type": "object", "x-id-field": "id", "properties": {"id": TEXT, **properties}, "additionalProperties": False, "required": ["id"]}
        schemas.append({"entity_type": name, "schema": dict(schema, **{"x-label-field": label} if label else {})})
    relations = [{"name": name, "from": start, "to": end, "symmetric": name == "KNOWS", "schema": {"type": "object", "required": [key], "properties": {key: {"type": "integer"} if key in ("classYear", "workFrom") else {"type": "string", "format": "date-time"}}}}
                 for name, start, end, key in RELATIONS]
    return {"bundle_name": "snb", "version": "1", "schemas": schemas, "relations": relations}


def instant(text):
    return text[:-5] + "+00:00" if text.endswith("+0000") else text


def instant_of(milliseconds):
    """An instant as an update stream has it."""
    return datetime.datetime.fromtimestamp(int(milliseconds) / 1000, datetime.timezone.utc).isoformat(timespec="milliseconds")


def whole(entity):
    """Without absent members."""
    return {key: value for key, value in entity.items() if value not in ("", None, [])}


class Data:
    def __init__(self, folder, copies):
        self.folder = folder
        self.copies = copies
        self.entities = {name: [] for name in TYPES}
        self.edges = {relation[0]: [] for relation in RELATIONS}
        self.read_static()
        parts = {name: self.several(name) for name in ("person_email_emailaddress", "person_speaks_language", "person_hasInterest_tag", "forum_hasTag_tag", "post_hasTag_tag", "comment_hasTag_tag")}
        for copy in range(copies):
            self.read_dynamic(parts, copy)
        self.entities["message"].sort(key=lambda entity: entity["creationDate"])

    def rows(self, name):
        with open(os.path.join(self.folder, name + "_0_0.csv"), encoding="utf8", newline="") as file:
            return list(csv.reader(file, delimiter="|"))[1:]

    def several(self, name):
        values = defaultdict(list)
        for row in self.rows("dynamic/" + name):
            values[row[0]].append(row[1])
        return values

    def add(self, entity_type, **members):
        self.entities[entity_type].append(whole(members))

    def read_static(self):
        kinds = ["continent", "country", "city"]
        for r in sorted(self.rows("static/place"), key=lambda row: kinds.index(row[3])):
            self.add("place", id=r[0], name=r[1], url=r[2], kind=r[3], partOf=r[4])
        for r in self.rows("static/tagclass"):
            self.add("tagclass", id=r[0], name=r[1], url=r[2], subclassOf=r[3])
        for r in self.rows("static/tag"):
            self.add("tag", id=r[0], name=r[1], url=r[2], hasType=r[3])
        for r in self.rows("static/organisation"):
            self.add("organisation", id=r[0], kind=r[1], name=r[2], url=r[3], place=r[4])

    def read_dynamic(self, parts, copy):
        def own(text):
            return str(int(text) + copy * COPY) if text else text

        for r in self.rows("dynamic/person"):
            self.add("person", id=own(r[0]), firstName=r[1], lastName=r[2], gender=r[3], birthday=r[4], creationDate=instant(r[5]), locationIP=r[6], browserUsed=r[7], place=r[8],
                     emails=parts["person_email_emailaddress"][r[0]], languages=parts["person_speaks_language"][r[0]], interests=parts["person_hasInterest_tag"][r[0]])
        for r in self.rows("dynamic/forum"):
            self.add("forum", id=own(r[0]), title=r[1], creationDate=instant(r[2]), moderator=own(r[3]), tags=parts["forum_hasTag_tag"][r[0]])
        for r in self.rows("dynamic/post"):
            self.add("message", id=own(r[0]), kind="post", imageFile=r[1], creationDate=instant(r[2]), locationIP=r[3], browserUsed=r[4], language=r[5], content=r[6], length=int(r[7]),
                     creator=own(r[8]), forum=own(r[9]), place=r[10], tags=parts["post_hasTag_tag"][r[0]])
        for r in self.rows("dynamic/comment"):
            self.add("message", id=own(r[0]), kind="comment", creationDate=instant(r[1]), locationIP=r[2], browserUsed=r[3], content=r[4], length=int(r[5]), creator=own(r[6]), place=r[7],
                     replyOf=own(r[8] or r[9]), tags=parts["comment_hasTag_tag"][r[0]])
        for name, file, shared, convert in (("KNOWS", "person_knows_person", False, instant), ("LIKES", "person_likes_post", False, instant), ("LIKES", "person_likes_comment", False, instant),
                                            ("STUDY_AT", "person_studyAt_organisation", True, int), ("WORK_AT", "person_workAt_organisation", True, int), ("HAS_MEMBER", "forum_hasMember_person", False, instant)):
            for r in self.rows("dynamic/" + file):
                self.edges[name].append((own(r[0]), r[1] if shared else own(r[1]), convert(r[2])))

    def edge(self, name, row):
        start, end, key = next(relation[1:] for relation in RELATIONS if relation[0] == name)
        return {"relation": name, "from": "%s:%s" % (start, row[0]), "to": "%s:%s" % (end, row[1]), "properties": {key: row[2]}}


# Columns of each plain table, and the columns that have an index of their own with the tenant.
TABLES = {
    "place": ("id bigint, name text, url text, kind text, part_of bigint", "id name part_of"),
    "tagclass": ("id bigint, name text, url text, parent bigint", "id name parent"),
    "tag": ("id bigint, name text, url text, class bigint", "id name class"),
    "organisation": ("id bigint, name text, url text, kind text, place bigint", "id place"),
    "person": ("id bigint, first_name text, last_name text, gender text, birthday date, created timestamptz, ip text, browser text, place bigint", "id first_name place"),
    "email": ("person bigint, email text", "person"),
    "speaks": ("person bigint, language text", "person"),
    "interest": ("person bigint, tag bigint", "person tag"),
    "forum": ("id bigint, title text, created timestamptz, moderator bigint", "id moderator"),
    "forum_tag": ("forum bigint, tag bigint", "forum tag"),
    "member": ("forum bigint, person bigint, joined timestamptz", "forum person"),
    "message": ("id bigint, kind text, created timestamptz, ip text, browser text, language text, content text, image text, length int, creator bigint, forum bigint, place bigint, reply_of bigint", "id creator forum place reply_of created"),
    "message_tag": ("message bigint, tag bigint", "message tag"),
    "likes": ("person bigint, message bigint, created timestamptz", "person message"),
    "knows": ("a bigint, b bigint, created timestamptz", "a b"),
    "study": ("person bigint, organisation bigint, year int", "person organisation"),
    "work": ("person bigint, organisation bigint, year int", "person organisation"),
}


def plain_rows(name, e):
    """The rows of an entity: (table, values)."""
    def get(*keys):
        return [e.get(key) for key in keys]

    if name == "place":
        yield "place", get("id", "name", "url", "kind", "partOf")
    elif name == "tagclass":
        yield "tagclass", get("id", "name", "url", "subclassOf")
    elif name == "tag":
        yield "tag", get("id", "name", "url", "hasType")
    elif name == "organisation":
        yield "organisation", get("id", "name", "url", "kind", "place")
    elif name == "person":
        yield "person", get("id", "firstName", "lastName", "gender", "birthday", "creationDate", "locationIP", "browserUsed", "place")
        for table, key in (("email", "emails"), ("speaks", "languages"), ("interest", "interests")):
            for value in e.get(key, []):
                yield table, [e["id"], value]
    elif name == "forum":
        yield "forum", get("id", "title", "creationDate", "moderator")
        for tag in e.get("tags", []):
            yield "forum_tag", [e["id"], tag]
    else:
        yield "message", get("id", "kind", "creationDate", "locationIP", "browserUsed", "language", "content", "imageFile", "length", "creator", "forum", "place", "replyOf")
        for tag in e.get("tags", []):
            yield "message_tag", [e["id"], tag]


def plain_edges(name, row):
    table = {"KNOWS": "knows", "LIKES": "likes", "STUDY_AT": "study", "WORK_AT": "work", "HAS_MEMBER": "member"}[name]
    yield table, list(row)
    if name == "KNOWS":
        yield table, [row[1], row[0], row[2]]


def all_plain_rows(data):
    for name, entities in data.entities.items():
        for entity in entities:
            yield from plain_rows(name, entity)
    for name, edges in data.edges.items():
        for row in edges:
            yield from plain_edges(name, row)


def write_files(data, folder):
    """The files that psql and kgctl load."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "bundle.json"), "w") as file:
        json.dump(bundle(), file)
    for name, entities in data.entities.items():
        with open(os.path.join(folder, name + ".ndjson"), "w") as file:
            for entity in entities:
                file.write(json.dumps(entity) + "\n")
    for name, edges in data.edges.items():
        with open(os.path.join(folder, name + ".ndjson"), "w") as file:
            for row in edges:
                file.write(json.dumps({k: v for k, v in data.edge(name, row).items() if k != "relation"}) + "\n")
    files = {name: open(os.path.join(folder, name + ".csv"), "w", newline="", encoding="utf8") for name in TABLES}
    writers = {name: csv.writer(file) for name, file in files.items()}
    for table, values in all_plain_rows(data):
        writers[table].writerow(["snb"] + values)
    for file in files.values():
        file.close()
