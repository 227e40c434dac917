"""The seven short and fourteen complex reads of LDBC SNB Interactive, after its specification: each as calls of
tools, and as SQL over the plain tables of data.py. Both give the same rows in the same order."""
import datetime
from collections import Counter, defaultdict

LIMIT = 1000
ALL = "all"


def bare(handle):
    return handle.split(":", 1)[1]


def knows(**more):
    return dict({"type": "KNOWS"}, **more)


def person(*ids):
    return {"label": "person", "ids": list(ids)}


def messages(**filters):
    return {"label": "message", "filters": filters}


def content(data):
    return data.get("imageFile") or data.get("content")


def newest(field="creationDate"):
    return [{"field": field, "order": "desc"}]


def instant(text):
    return datetime.datetime.fromisoformat(text)


def days_after(day, days):
    return (datetime.date.fromisoformat(day) + datetime.timedelta(days=days)).isoformat()


def midnight(day):
    return day + "T00:00:00Z"


def properties(reply):
    return {"%s:%s" % (node["type"], node["id"]): node.get("properties", {}) for node in reply["nodes"]}


COUNT = [{"fn": "count", "as": "n"}]

def near_persons(kg, who):
    """The ids of friends and of their friends."""
    rows = kg.rows("aggregate", {"node": person(who), "relationships": [knows(max_hops=2)], "group_by": [{"step": 1, "label": "person", "property": "id"}], "aggregations": COUNT, "limit": LIMIT})
    return [row[0] for row in rows if row[0] != who]


# ---- short reads ----


def s1(kg, p):
    d = kg.get("person", p["person"])
    return [[d["firstName"], d["lastName"], d["birthday"], d["locationIP"], d["browserUsed"], d["place"], d["gender"], d["creationDate"]]]


S1 = "SELECT first_name, last_name, birthday, ip, browser, place, gender, created FROM person WHERE id = {person}"


def roots(kg, ids):
    """The post that each message belongs to, with its author."""
    found, depth = {}, 0
    while ids:
        steps = [{"type": "REPLY_OF", "min_hops": 3, "max_hops": 3}] * depth + [{"type": "REPLY_OF", "max_hops": 3, "to": messages(kind="post")}]
        reply = kg.call("traverse", {"from": {"label": "message", "ids": ids}, "relationships": steps, "columns": ["creator", "creator.firstName", "creator.lastName"], "limit": LIMIT})
        nodes = properties(reply)
        for row in reply["rows"]:
            found[bare(row[0])] = (bare(row[-1]), nodes[row[-1]])
        ids = [i for i in ids if i not in found]
        depth += 1
    return found


def s2(kg, p):
    fields = ["kind", "content", "imageFile", "creationDate", "creator", "creator.firstName", "creator.lastName"]
    items = kg.call("list", "message", {"filters": {"creator": p["person"]}, "fields": fields, "sort": newest(), "limit": 10})["items"]
    root = roots(kg, [item["id"] for item in items if item["data"]["kind"] == "comment"])
    rows = []
    for item in items:
        data = item["data"]
        post, author = root.get(item["id"], (item["id"], data))
        rows.append([item["id"], content(data), data["creationDate"], post, author["creator"], author["creator.firstName"], author["creator.lastName"]])
    return rows


S2 = """WITH RECURSIVE last AS (SELECT id, coalesce(image, content) AS content, created, reply_of FROM message WHERE creator = {person} ORDER BY created DESC, id DESC LIMIT 10),
up(id, at, next) AS (SELECT id, id, reply_of FROM last UNION ALL SELECT up.id, m.id, m.reply_of FROM up JOIN message m ON m.id = up.next)
SELECT last.id, last.content, last.created, m.id AS post, p.id AS author, p.first_name, p.last_name FROM last JOIN up ON up.id = last.id AND up.next IS NULL
JOIN message m ON m.id = up.at JOIN person p ON p.id = m.creator ORDER BY last.created DESC, last.id DESC"""


def s3(kg, p):
    reply = kg.call("traverse", {"from": person(p["person"]), "relationships": [knows()], "columns": ["firstName", "lastName"], "limit": LIMIT})
    nodes, rows = properties(reply), []
    for edge in reply["edges"]:
        friend = edge["to"]["id"] if edge["from"]["id"] == p["person"] else edge["from"]["id"]
        d = nodes["person:" + friend]
        rows.append([friend, d["firstName"], d["lastName"], edge["properties"]["creationDate"]])
    return sorted(rows, key=lambda row: (-instant(row[3]).timestamp(), int(row[0])))


S3 = "SELECT p.id, p.first_name, p.last_name, k.created FROM knows k JOIN person p ON p.id = k.b WHERE k.a = {person} ORDER BY k.created DESC, p.id"


def s4(kg, p):
    d = kg.get("message", p["message"])
    return [[content(d), d["creationDate"]]]


S4 = "SELECT coalesce(image, content) AS content, created FROM message WHERE id = {message}"


def s5(kg, p):
    d = kg.call("find_nodes", {"node_label": "message", "ids": [p["message"]], "columns": ["creator", "creator.firstName", "creator.lastName"]})["nodes"][0]["properties"]
    return [[d["creator"], d["creator.firstName"], d["creator.lastName"]]]


S5 = "SELECT p.id, p.first_name, p.last_name FROM message m JOIN person p ON p.id = m.creator WHERE m.id = {message}"


def s6(kg, p):
    columns = ["forum", "forum.title", "forum.moderator", "forum.moderator.firstName", "forum.moderator.lastName"]
    reply = kg.call("neighbors", {"start_node": {"label": "message", "node_id": p["message"]}, "direction": "outgoing", "relationship_types": ["REPLY_OF"], "max_hops": ALL, "columns": columns, "limit": LIMIT})
    d = max(reply["nodes"], key=lambda node: node["depth"])["properties"]
    return [[d[column] for column in columns]]


S6 = """WITH RECURSIVE up AS (SELECT reply_of, forum FROM message WHERE id = {message} UNION ALL SELECT m.reply_of, m.forum FROM up JOIN message m ON m.id = up.reply_of)
SELECT f.id, f.title, p.id AS moderator, p.first_name, p.last_name FROM up JOIN forum f ON f.id = up.forum JOIN person p ON p.id = f.moderator"""


def s7(kg, p):
    fields = ["content", "creationDate", "creator", "creator.firstName", "creator.lastName"]
    items = kg.call("list", "message", {"filters": {"replyOf": p["answered"]}, "fields": fields, "sort": newest(), "limit": 500})["items"]
    if not items:
        return []
    friends = kg.call("traverse", {"from": {"label": "message", "ids": [p["answered"]]}, "relationships": [{"type": "HAS_CREATOR"}, knows(to=person(*{item["data"]["creator"] for item in items}))], "ids_only": True, "limit": LIMIT})
    known = {bare(row[-1]) for row in friends["rows"]}
    rows = [[item["id"], item["data"].get("content"), item["data"]["creationDate"], item["data"]["creator"], item["data"]["creator.firstName"], item["data"]["creator.lastName"], item["data"]["creator"] in known] for item in items]
    return sorted(rows, key=lambda row: (-instant(row[2]).timestamp(), int(row[3])))


S7 = """SELECT c.id, c.content, c.created, p.id AS author, p.first_name, p.last_name, EXISTS (SELECT FROM knows k WHERE k.a = m.creator AND k.b = c.creator) AS known
FROM message m JOIN message c ON c.reply_of = m.id JOIN person p ON p.id = c.creator WHERE m.id = {answered} ORDER BY c.created DESC, p.id"""

# ---- complex reads ----

NEAR = """near AS (SELECT b AS id FROM knows WHERE a = {person} UNION SELECT y.b FROM knows x JOIN knows y ON y.a = x.b WHERE x.a = {person} AND y.b <> {person})"""


def c1(kg, p):
    columns = ["lastName", "birthday", "creationDate", "gender", "browserUsed", "locationIP", "emails", "languages", "place.name"]
    reply = kg.call("neighbors", {"start_node": {"label": "person", "node_id": p["person"]}, "max_hops": 3, "relationship_types": ["KNOWS"], "node_labels": ["person"], "filters": {"firstName": p["name"]}, "columns": columns, "limit": LIMIT})
    best = sorted((node for node in reply["nodes"] if node["depth"] > 0), key=lambda node: (node["depth"], node["properties"]["lastName"], int(node["id"])))[:20]
    if not best:
        return []
    where = {"STUDY_AT": defaultdict(list), "WORK_AT": defaultdict(list)}
    for relation, key in (("STUDY_AT", "classYear"), ("WORK_AT", "workFrom")):
        reply = kg.call("traverse", {"from": person(*[node["id"] for node in best]), "relationships": [{"type": relation}], "columns": ["organisation.name", "organisation.place.name"], "limit": LIMIT})
        nodes = properties(reply)
        for edge in reply["edges"]:
            d = nodes["organisation:" + edge["to"]["id"]]
            where[relation][edge["from"]["id"]].append([d["name"], edge["properties"][key], d["place.name"]])
    rows = []
    for node in best:
        d = node["properties"]
        rows.append([node["id"], d["lastName"], node["depth"], d["birthday"], d["creationDate"], d["gender"], d["browserUsed"], d["locationIP"], sorted(d.get("emails", [])), sorted(d.get("languages", [])), d["place.name"],
                     sorted(where["STUDY_AT"][node["id"]]), sorted(where["WORK_AT"][node["id"]])])
    return rows


C1 = """WITH RECURSIVE reach(id, depth) AS (SELECT {person}::bigint, 0 UNION SELECT k.b, reach.depth + 1 FROM reach JOIN knows k ON k.a = reach.id WHERE reach.depth < 3),
best AS (SELECT p.id, p.last_name, min(depth) AS depth FROM reach JOIN person p ON p.id = reach.id WHERE p.first_name = {name} AND p.id <> {person} GROUP BY p.id, p.last_name ORDER BY 3, p.last_name COLLATE "C", p.id LIMIT 20)
SELECT p.id, p.last_name, best.depth, p.birthday, p.created, p.gender, p.browser, p.ip,
(SELECT coalesce(json_agg(email ORDER BY email COLLATE "C"), '[]') FROM email e WHERE e.person = p.id) AS emails, (SELECT coalesce(json_agg(language ORDER BY language COLLATE "C"), '[]') FROM speaks s WHERE s.person = p.id) AS languages, city.name AS city,
(SELECT coalesce(json_agg(json_build_array(o.name, s.year, l.name) ORDER BY o.name COLLATE "C", s.year), '[]') FROM study s JOIN organisation o ON o.id = s.organisation JOIN place l ON l.id = o.place WHERE s.person = p.id) AS studied,
(SELECT coalesce(json_agg(json_build_array(o.name, w.year, l.name) ORDER BY o.name COLLATE "C", w.year), '[]') FROM work w JOIN organisation o ON o.id = w.organisation JOIN place l ON l.id = o.place WHERE w.person = p.id) AS worked
FROM best JOIN person p ON p.id = best.id JOIN place city ON city.id = p.place ORDER BY best.depth, p.last_name COLLATE "C", p.id"""

AUTHORED = ["content", "imageFile", "creationDate", "creator", "creator.firstName", "creator.lastName"]


def authored(item):
    data = item["data"]
    return [data["creator"], data["creator.firstName"], data["creator.lastName"], item["id"], content(data), data["creationDate"]]


def c2(kg, p):
    items = kg.call("list", "message", {"filters": {"creationDate": {"lt": midnight(p["day"])}}, "related": [[{"type": "HAS_CREATOR"}, knows(to=person(p["person"]))]], "fields": AUTHORED, "sort": newest(), "limit": 20})["items"]
    return [authored(item) for item in items]


C2 = """SELECT p.id, p.first_name, p.last_name, m.id AS message, coalesce(m.image, m.content) AS content, m.created FROM knows k JOIN person p ON p.id = k.b JOIN message m ON m.creator = k.b
WHERE k.a = {person} AND m.created < {day}::date ORDER BY m.created DESC, m.id LIMIT 20"""


def c3(kg, p):
    rows = kg.rows("aggregate", {"node": {"label": "message", "filters": {"creationDate": {"gte": midnight(p["day"]), "lt": midnight(days_after(p["day"], p["days"]))}, "creator": {"ne": p["person"]}},
                                          "related": [{"type": "MESSAGE_LOCATED_IN", "to": {"label": "place", "filters": {"name": {"in": [p["x"], p["y"]]}}}}]},
                                 "relationships": [{"type": "HAS_CREATOR"}, knows(max_hops=2, to=person(p["person"]))],
                                 "group_by": [{"property": "creator"}, {"property": "place.name"}], "aggregations": COUNT, "limit": LIMIT})
    counts = defaultdict(dict)
    for author, place, n in rows:
        counts[author][place] = n
    both = [author for author, found in counts.items() if len(found) == 2]
    if not both:
        return []
    nodes = kg.call("find_nodes", {"node_label": "person", "ids": both, "columns": ["firstName", "lastName", "place.partOf.name"], "limit": LIMIT})["nodes"]
    rows = []
    for node in nodes:
        d, n = node["properties"], counts[node["id"]]
        if d["place.partOf.name"] not in (p["x"], p["y"]):
            rows.append([node["id"], d["firstName"], d["lastName"], n[p["x"]], n[p["y"]], n[p["x"]] + n[p["y"]]])
    return sorted(rows, key=lambda row: (-row[5], int(row[0])))[:20]


C3 = "WITH " + NEAR + """ SELECT p.id, p.first_name, p.last_name, count(*) FILTER (WHERE c.name = {x}) AS x, count(*) FILTER (WHERE c.name = {y}) AS y, count(*) AS n
FROM near JOIN person p ON p.id = near.id JOIN place city ON city.id = p.place JOIN place home ON home.id = city.part_of JOIN message m ON m.creator = p.id JOIN place c ON c.id = m.place
WHERE home.name NOT IN ({x}, {y}) AND c.name IN ({x}, {y}) AND m.created >= {day}::date AND m.created < {day}::date + {days}
GROUP BY 1, 2, 3 HAVING count(*) FILTER (WHERE c.name = {x}) > 0 AND count(*) FILTER (WHERE c.name = {y}) > 0 ORDER BY 6 DESC, 1 LIMIT 20"""


def c4(kg, p):
    rows = kg.rows("aggregate", {"node": messages(kind="post", creationDate={"lt": midnight(days_after(p["day"], p["days"]))}), "relationships": [{"type": "HAS_CREATOR"}, knows(to=person(p["person"]))],
                                 "group_by": [{"relationship": "HAS_TAG", "label": "tag", "property": "name"}], "aggregations": COUNT + [{"fn": "min", "property": "creationDate", "as": "first"}], "limit": LIMIT})
    new = [[tag, n] for tag, n, first in rows if instant(first) >= instant(midnight(p["day"]))]
    return sorted(new, key=lambda row: (-row[1], row[0]))[:10]


C4 = """SELECT t.name, count(*) AS n FROM knows k JOIN message m ON m.creator = k.b JOIN message_tag mt ON mt.message = m.id JOIN tag t ON t.id = mt.tag
WHERE k.a = {person} AND m.kind = 'post' AND m.created >= {day}::date AND m.created < {day}::date + {days}
AND NOT EXISTS (SELECT FROM knows l JOIN message o ON o.creator = l.b JOIN message_tag ot ON ot.message = o.id WHERE l.a = {person} AND o.kind = 'post' AND o.created < {day}::date AND ot.tag = mt.tag)
GROUP BY 1 ORDER BY 2 DESC, t.name COLLATE "C" LIMIT 10"""


def members(kg, friends, day):
    """The pairs (friend, forum) of the memberships that are newer than the day."""
    joined = {"node": person(*friends), "relationships": [{"type": "HAS_MEMBER", "direction": "incoming", "filters": {"joinDate": {"gt": midnight(day)}}}],
              "group_by": [{"property": "id"}, {"step": 1, "label": "forum", "property": "id"}], "aggregations": COUNT, "limit": LIMIT}
    reply = kg.call("aggregate", joined)
    if not reply["truncated"]:
        return reply["rows"]
    half = len(friends) // 2
    return members(kg, friends[:half], day) + members(kg, friends[half:], day)


def c5(kg, p):
    near, joined, counts = near_persons(kg, p["person"]), defaultdict(set), Counter()
    for i in range(0, len(near), 40):
        for friend, forum, _ in members(kg, near[i:i + 40], p["day"]):
            joined[forum].add(friend)
    # Only posts have a forum.
    for i in range(0, len(near), 500):
        for forum, author, n in kg.rows("aggregate", {"node": messages(creator={"in": near[i:i + 500]}), "group_by": [{"property": "forum"}, {"property": "creator"}], "aggregations": COUNT, "limit": LIMIT}):
            if author in joined.get(forum, ()):
                counts[forum] += n
    best = sorted(joined, key=lambda forum: (-counts[forum], int(forum)))[:20]
    if not best:
        return []
    nodes = kg.call("find_nodes", {"node_label": "forum", "ids": best, "columns": ["title"], "limit": 20})["nodes"]
    titles = {node["id"]: node["properties"]["title"] for node in nodes}
    return [[titles[forum], forum, counts[forum]] for forum in best]


C5 = "WITH " + NEAR + """ SELECT f.title, f.id, count(m.id) AS n FROM near JOIN member x ON x.person = near.id JOIN forum f ON f.id = x.forum LEFT JOIN message m ON m.forum = f.id AND m.creator = near.id AND m.kind = 'post'
WHERE x.joined > {day}::date + interval '0' GROUP BY 1, 2 ORDER BY 3 DESC, 2 LIMIT 20"""


def c6(kg, p):
    reply = kg.call("aggregate", {"node": {"label": "message", "filters": {"kind": "post", "creator": {"ne": p["person"]}}, "related": [{"type": "HAS_TAG", "to": {"label": "tag", "filters": {"name": p["tag"]}}}]},
                                  "relationships": [{"type": "HAS_CREATOR"}, knows(max_hops=2, to=person(p["person"]))],
                                  "group_by": [{"relationship": "HAS_TAG", "label": "tag", "property": "name", "filters": {"name": {"ne": p["tag"]}}}], "aggregations": COUNT,
                                  "sort": [{"field": "n", "order": "desc"}, {"field": "HAS_TAG_tag_name", "order": "asc"}], "limit": 10})
    return reply["rows"]


C6 = "WITH " + NEAR + """ SELECT t.name, count(*) AS n FROM near JOIN message m ON m.creator = near.id JOIN message_tag mt ON mt.message = m.id JOIN tag t ON t.id = mt.tag
WHERE m.kind = 'post' AND t.name <> {tag} AND EXISTS (SELECT FROM message_tag x JOIN tag y ON y.id = x.tag WHERE x.message = m.id AND y.name = {tag}) GROUP BY 1 ORDER BY 2 DESC, t.name COLLATE "C" LIMIT 10"""


def c7(kg, p):
    arguments = {"from": messages(creator=p["person"]), "relationships": [{"type": "LIKES", "direction": "incoming"}], "columns": ["content", "imageFile", "creationDate", "firstName", "lastName"], "limit": LIMIT}
    best, nodes = {}, {}
    for reply in kg.pages("traverse", arguments):
        nodes.update(properties(reply))
        for edge in reply["edges"]:
            at = edge["properties"]["creationDate"]
            mine = (-instant(at).timestamp(), int(edge["to"]["id"]), at, edge["to"]["id"])
            who = edge["from"]["id"]
            best[who] = min(best.get(who, mine), mine)
    last = sorted(best.items(), key=lambda pair: (pair[1][0], int(pair[0])))[:20]
    if not last:
        return []
    known = {bare(row[1]) for row in kg.rows("traverse", {"from": person(p["person"]), "relationships": [knows(to=person(*[who for who, _ in last]))], "ids_only": True, "limit": LIMIT})}
    rows = []
    for who, (_, _, at, message) in last:
        data, author = nodes["message:" + message], nodes["person:" + who]
        minutes = int((instant(at) - instant(data["creationDate"])).total_seconds()) // 60
        rows.append([who, author["firstName"], author["lastName"], at, message, content(data), minutes, who not in known])
    return rows


C7 = """SELECT p.id, p.first_name, p.last_name, l.created, l.message, l.content, floor(extract(epoch FROM l.created - l.written) / 60)::int AS minutes, NOT EXISTS (SELECT FROM knows k WHERE k.a = {person} AND k.b = p.id) AS new
FROM (SELECT DISTINCT ON (l.person) l.person, l.created, m.id AS message, m.created AS written, coalesce(m.image, m.content) AS content FROM message m JOIN likes l ON l.message = m.id WHERE m.creator = {person} ORDER BY l.person, l.created DESC, m.id) l
JOIN person p ON p.id = l.person ORDER BY l.created DESC, p.id LIMIT 20"""


def c8(kg, p):
    items = kg.call("list", "message", {"filters": {"kind": "comment"}, "related": [[{"type": "REPLY_OF"}, {"type": "HAS_CREATOR", "to": person(p["person"])}]], "fields": AUTHORED, "sort": newest(), "limit": 20})["items"]
    return [authored(item) for item in items]


C8 = """SELECT p.id, p.first_name, p.last_name, c.id AS comment, c.content, c.created FROM message m JOIN message c ON c.reply_of = m.id JOIN person p ON p.id = c.creator WHERE m.creator = {person} ORDER BY c.created DESC, c.id LIMIT 20"""


def c9(kg, p):
    near, rows = near_persons(kg, p["person"]), []
    for i in range(0, len(near), 500):
        rows += kg.call("list", "message", {"filters": {"creationDate": {"lt": midnight(p["day"])}, "creator": {"in": near[i:i + 500]}}, "fields": AUTHORED, "sort": newest(), "limit": 20, "total": False})["items"]
    return sorted(map(authored, rows), key=lambda row: (-instant(row[5]).timestamp(), int(row[3])))[:20]


C9 = "WITH " + NEAR + """ SELECT p.id, p.first_name, p.last_name, m.id AS message, coalesce(m.image, m.content) AS content, m.created FROM near JOIN person p ON p.id = near.id JOIN message m ON m.creator = p.id
WHERE m.created < {day}::date ORDER BY m.created DESC, m.id LIMIT 20"""


def c10(kg, p):
    me = knows(to=person(p["person"]))
    reply = kg.call("find_nodes", {"node_label": "person", "related": [[knows(), me]], "not_related": [me], "columns": ["firstName", "lastName", "birthday", "gender", "place.name"], "limit": LIMIT})
    found = {}
    for node in reply["nodes"]:
        born = datetime.date.fromisoformat(node["properties"]["birthday"])
        if node["id"] != p["person"] and (born.month == p["month"] and born.day >= 21 or born.month == p["month"] % 12 + 1 and born.day < 22):
            found[node["id"]] = node["properties"]
    if not found:
        return []
    # The keys that group are read anyway: a filter of the kind would read them twice.
    def posts(authors, **related):
        rows = authors and kg.rows("aggregate", {"node": dict(messages(creator={"in": list(authors)}), **related), "group_by": [{"property": "creator"}, {"property": "kind"}], "aggregations": COUNT, "limit": LIMIT})
        return {author: n for author, kind, n in rows if kind == "post"}

    every = posts(found)
    common = posts(every, related=[[{"type": "HAS_TAG"}, {"type": "HAS_INTEREST", "direction": "incoming", "to": person(p["person"])}]])
    rows = [[i, d["firstName"], d["lastName"], 2 * common.get(i, 0) - every.get(i, 0), d["gender"], d["place.name"]] for i, d in found.items()]
    return sorted(rows, key=lambda row: (-row[3], int(row[0])))[:10]


C10 = """WITH friend AS (SELECT b AS id FROM knows WHERE a = {person}), second AS (SELECT DISTINCT y.b AS id FROM friend x JOIN knows y ON y.a = x.id WHERE y.b <> {person} AND y.b NOT IN (SELECT id FROM friend))
SELECT p.id, p.first_name, p.last_name, (SELECT coalesce(sum(CASE WHEN EXISTS (SELECT FROM message_tag mt JOIN interest i ON i.tag = mt.tag AND i.person = {person} WHERE mt.message = m.id) THEN 1 ELSE -1 END), 0) FROM message m WHERE m.creator = p.id AND m.kind = 'post') AS score, p.gender, l.name AS city
FROM second JOIN person p ON p.id = second.id JOIN place l ON l.id = p.place
WHERE extract(month FROM p.birthday) = {month} AND extract(day FROM p.birthday) >= 21 OR extract(month FROM p.birthday) = {month} % 12 + 1 AND extract(day FROM p.birthday) < 22 ORDER BY 4 DESC, 1 LIMIT 10"""


def c11(kg, p):
    arguments = {"from": person(p["person"]), "relationships": [knows(max_hops=2), {"type": "WORK_AT", "filters": {"workFrom": {"lt": p["year"]}}}, {"type": "ORG_LOCATED_IN", "to": {"label": "place", "filters": {"name": p["country"]}}}],
                 "columns": ["firstName", "lastName", "name"], "limit": LIMIT}
    found, nodes, years = set(), {}, {}
    for reply in kg.pages("traverse", arguments):
        nodes.update(properties(reply))
        years.update({(edge["from"]["id"], edge["to"]["id"]): edge["properties"]["workFrom"] for edge in reply["edges"] if edge["type"] == "WORK_AT"})
        found |= {(bare(row[1]), bare(row[2])) for row in reply["rows"]}
    rows = [[who, nodes["person:" + who]["firstName"], nodes["person:" + who]["lastName"], nodes["organisation:" + place]["name"], years[who, place]] for who, place in found if who != p["person"]]
    rows.sort(key=lambda row: row[3], reverse=True)
    return sorted(rows, key=lambda row: (row[4], int(row[0])))[:10]


C11 = "WITH " + NEAR + """ SELECT p.id, p.first_name, p.last_name, o.name, w.year FROM near JOIN person p ON p.id = near.id JOIN work w ON w.person = p.id JOIN organisation o ON o.id = w.organisation JOIN place l ON l.id = o.place
WHERE l.name = {country} AND w.year < {year} ORDER BY w.year, p.id, o.name COLLATE "C" DESC LIMIT 10"""


def c12(kg, p):
    top = kg.call("find_nodes", {"node_label": "tagclass", "filters": {"name": p["class"]}, "ids_only": True})["nodes"]
    below = kg.call("neighbors", {"start_node": {"label": "tagclass", "node_id": bare(top[0])}, "direction": "incoming", "relationship_types": ["IS_SUBCLASS_OF"], "max_hops": ALL, "ids_only": True, "limit": LIMIT})
    classes = [bare(handle) for handle in below["nodes"]]
    arguments = {"from": {"label": "message", "filters": {"kind": "comment"}, "related": [[{"type": "HAS_CREATOR"}, knows(to=person(p["person"]))]]},
                 "relationships": [{"type": "REPLY_OF", "to": messages(kind="post")}, {"type": "HAS_TAG", "to": {"label": "tag", "filters": {"hasType": {"in": classes}}}}],
                 "columns": ["name", "creator", "creator.firstName", "creator.lastName"], "limit": LIMIT}
    comments, tags, who = defaultdict(set), defaultdict(set), {}
    for reply in kg.pages("traverse", arguments):
        nodes = properties(reply)
        for comment, _, tag in reply["rows"]:
            author = nodes[comment]["creator"]
            who[author] = nodes[comment]
            comments[author].add(comment)
            tags[author].add(nodes[tag]["name"])
    best = sorted(comments, key=lambda author: (-len(comments[author]), int(author)))[:20]
    return [[author, who[author]["creator.firstName"], who[author]["creator.lastName"], sorted(tags[author]), len(comments[author])] for author in best]


C12 = """WITH RECURSIVE class(id) AS (SELECT id FROM tagclass WHERE name = {class} UNION SELECT t.id FROM class JOIN tagclass t ON t.parent = class.id)
SELECT p.id, p.first_name, p.last_name, json_agg(DISTINCT t.name) AS tags, count(DISTINCT c.id) AS n FROM knows k JOIN person p ON p.id = k.b JOIN message c ON c.creator = k.b JOIN message m ON m.id = c.reply_of AND m.kind = 'post'
JOIN message_tag mt ON mt.message = m.id JOIN tag t ON t.id = mt.tag WHERE k.a = {person} AND t.class IN (SELECT id FROM class) GROUP BY 1, 2, 3 ORDER BY 5 DESC, 1 LIMIT 20"""


def c13(kg, p):
    paths = kg.call("paths", {"from": person(p["person"]), "to": person(p["other"]), "relationship_types": ["KNOWS"], "max_hops": 6, "ids_only": True})["paths"]
    return [[paths[0]["length"] if paths else -1]]


# The distance of each person from the first, one level after another until the second is met.
LEVELS = """r(id, depth) AS (SELECT {from}::bigint, 0 UNION (WITH last AS (SELECT * FROM r) SELECT k.b, l.depth + 1 FROM last l JOIN knows k ON k.a = l.id WHERE l.depth < 6 AND NOT EXISTS (SELECT FROM last x WHERE x.id = {to})))"""
C13 = "WITH RECURSIVE " + LEVELS.replace("{from}", "{person}").replace("{to}", "{other}") + " SELECT coalesce(min(depth) FILTER (WHERE id = {other}), -1) AS length FROM r"


def c14(kg, p):
    found = kg.call("paths", {"from": person(p["person"]), "to": person(p["other"]), "relationship_types": ["KNOWS"], "max_hops": 6, "mode": "all_shortest", "ids_only": True, "limit": LIMIT})["paths"]
    paths = [[bare(step) for step in path["path"] if isinstance(step, str)] for path in found]
    pairs = {frozenset(pair) for path in paths for pair in zip(path, path[1:])}
    people = list({who for path in paths for who in path})
    weights = Counter()
    if people:
        arguments = {"node": messages(kind="comment", creator={"in": people}), "relationships": [{"type": "REPLY_OF", "to": messages(creator={"in": people})}],
                     "group_by": [{"property": "creator"}, {"step": 1, "label": "message", "property": "creator"}, {"step": 1, "label": "message", "property": "kind"}], "aggregations": COUNT, "limit": LIMIT}
        for author, other, kind, n in kg.rows("aggregate", arguments):
            if frozenset((author, other)) in pairs:
                weights[frozenset((author, other))] += n * (1.0 if kind == "post" else 0.5)
    return sorted([[path, sum(weights[frozenset(pair)] for pair in zip(path, path[1:]))] for path in paths], key=lambda row: (-row[1], [int(i) for i in row[0]]))


C14 = "WITH RECURSIVE " + LEVELS.replace("{from}", "{other}").replace("{to}", "{person}") + """,
d AS MATERIALIZED (SELECT id, min(depth) AS depth FROM r GROUP BY id),
path(id, path, depth) AS (SELECT id, ARRAY[id], depth FROM d WHERE id = {person} UNION ALL SELECT k.b, path || k.b, d.depth FROM path JOIN knows k ON k.a = path.id JOIN d ON d.id = k.b AND d.depth = path.depth - 1)
SELECT path, (SELECT coalesce(sum(CASE m.kind WHEN 'post' THEN 1.0 ELSE 0.5 END), 0) FROM generate_series(2, array_length(path, 1)) i, LATERAL (VALUES (path[i - 1], path[i]), (path[i], path[i - 1])) e(x, y) JOIN message c ON c.creator = x AND c.kind = 'comment' JOIN message m ON m.id = c.reply_of AND m.creator = y) AS weight
FROM path WHERE depth = 0 ORDER BY 2 DESC, 1"""

# Name, function, SQL, kinds of parameters.
READS = [("IS1", s1, S1, ["person"]), ("IS2", s2, S2, ["person"]), ("IS3", s3, S3, ["person"]), ("IS4", s4, S4, ["message"]), ("IS5", s5, S5, ["message"]), ("IS6", s6, S6, ["message"]), ("IS7", s7, S7, ["answered"]),
         ("IC1", c1, C1, ["person", "name"]), ("IC2", c2, C2, ["person", "day"]), ("IC3", c3, C3, ["person", "day", "days", "x", "y"]), ("IC4", c4, C4, ["person", "day", "days"]), ("IC5", c5, C5, ["person", "day"]),
         ("IC6", c6, C6, ["person", "tag"]), ("IC7", c7, C7, ["person"]), ("IC8", c8, C8, ["person"]), ("IC9", c9, C9, ["person", "day"]), ("IC10", c10, C10, ["person", "month"]), ("IC11", c11, C11, ["person", "country", "year"]),
         ("IC12", c12, C12, ["person", "class"]), ("IC13", c13, C13, ["person", "other"]), ("IC14", c14, C14, ["person", "other"])]
