"""A shop behind a pooler: see README.md."""
import json
import os
import sys
from contextlib import contextmanager

import psycopg2

CONNECTION = psycopg2.connect(os.environ["SHOP_DSN"])


@contextmanager
def caller(token):
    """A transaction of one caller: the connection is anybody's before and after."""
    with CONNECTION, CONNECTION.cursor() as cursor:
        cursor.execute("SELECT kg_login(%s)", (token,))

        def call(function, *arguments):
            marks = ", ".join(["%s"] * len(arguments))
            cursor.execute(
                f"SELECT {function}({marks})",
                [json.dumps(a) if isinstance(a, (dict, list)) else a for a in arguments])
            return cursor.fetchone()[0]
        yield call


def told(error):
    """The JSON that the DETAIL of our errors is."""
    return json.loads(error.diag.message_detail)


north, south = sys.argv[1:3]
for name, token in (("north", north), ("south", south)):
    with caller(token) as call:
        page = call("kg_list", "product", {"sort": [{"field": "price"}], "limit": 2})
        print(name, "sees", page["total"], "products, the cheapest:", page["items"][0]["data"]["name"])

print("\nA filter that is not quite right, and the call that its error brings along:")
try:
    with caller(north) as call:
        call("kg_list", "product", {"filters": {"tier": "premum"}})
except psycopg2.Error as error:
    detail = told(error)
    print(error.pgcode, detail["message"])
    with caller(north) as call:
        fixed = call("kg_list", "product", detail["call"]["arguments"])
        print("sent instead:", json.dumps(detail["call"]["arguments"]), "->", [i["id"] for i in fixed["items"]])

print("\nTwo change one price; the second has read before the first wrote:")
with caller(north) as call:
    reply = call("kg_call_tool", "get_product", {"ids": ["lamp"], "citations": True})
    version = reply["structuredContent"]["citations"]["product:lamp"]
for price in (39, 35):
    with caller(north) as call:
        reply = call("kg_update_entities", "product", [{"id": "lamp", "set": {"price": price}, "expected_version": version}])
    item = reply["items"][0]
    print(price, item["verdict"], item.get("error", {}).get("message", ""))

print("\nAn answer that was lost is asked for again, with the same key:")
for attempt in (1, 2):
    with caller(north) as call:
        reply = call("kg_put_entities", "product", [{"id": "desk", "name": "Oak desk", "price": 250, "tier": "premium"}],
                     {"idempotency_key": "order-17"})
    print("attempt", attempt, reply["counts"], "replayed" if reply.get("replayed") else "")

with CONNECTION, CONNECTION.cursor() as cursor:
    cursor.execute("SELECT kg_tenant() IS NULL")
    print("\nWithout a token the connection is nobody's:", cursor.fetchone()[0])
