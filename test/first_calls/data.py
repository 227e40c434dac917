"""Tables and the bundle of minecraft-data 3.119.0 (npm): the game Minecraft, Java edition 1.21.8.

The package has no drops after 1.20: mob_drops and block_drops are those of 1.20.
"""
import collections
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))

RELEASES = [  # of each: the version, its day, and its title if it has one
    ("1.13", "2018-07-18", "Update Aquatic"), ("1.14", "2019-04-23", "Village & Pillage"), ("1.15", "2019-12-10", "Buzzy Bees"),
    ("1.16", "2020-06-23", "Nether Update"), ("1.17", "2021-06-08", "Caves & Cliffs: Part I"), ("1.18", "2021-11-30", "Caves & Cliffs: Part II"),
    ("1.19", "2022-06-07", "The Wild Update"), ("1.20", "2023-06-07", "Trails & Tales"), ("1.20.5", "2024-04-23", "Armored Paws"),
    ("1.21.1", "2024-08-08", "Tricky Trials"), ("1.21.4", "2024-12-03", "The Garden Awakens"), ("1.21.5", "2025-03-25", "Spring to Life"),
    ("1.21.6", "2025-06-17", "Chase the Skies"), ("1.21.8", "2025-07-17", None)]


def present(**values):
    """Returns the values that are not null, as a row."""
    return {name: value for name, value in values.items() if value is not None}


def tables(package):
    """Returns the rows of each table of tables.txt; package is the folder of minecraft-data."""
    def read(name, version="1.21.8"):
        with open(os.path.join(package, "minecraft-data", "data", "pc", version, name + ".json"), encoding="utf-8") as file:
            return json.load(file)

    def first_release(kind):
        found = {}
        for version, _, _ in RELEASES:
            try:
                for thing in read(kind, version):
                    found.setdefault(thing["name"], version)
            except FileNotFoundError:  # equal to the version before
                pass
        return found

    def tool(block):
        return next((t for t in ("pickaxe", "axe", "shovel", "hoe") if "mineable/" + t in block["material"]), None)

    def drops(kind, of, known):
        """Yields the first drop of each pair, with its smallest and largest amount."""
        seen = set()
        for entry in read(kind + "Loot", "1.20"):
            for drop in entry["drops"]:
                pair = entry[kind], drop["item"]
                if pair[0] in known and pair[1] in item_names and pair not in seen:
                    seen.add(pair)
                    least, most = (drop["stackSizeRange"] * 2)[:2]  # one number is both; each may be null
                    yield drop, {of: pair[0], "item": pair[1], "chance": drop["dropChance"],
                                 "min_amount": least or 0, "max_amount": (least if most is None else most) or 0}

    items, blocks, enchantments = read("items"), read("blocks"), read("enchantments")
    foods = {food["name"]: food for food in read("foods")}
    name_of = {item["id"]: item["name"] for item in items}
    item_names = set(name_of.values())
    enchantment_names = {e["name"] for e in enchantments}
    since = {kind: first_release(kind) for kind in ("items", "blocks")}
    groups = {e["category"] for e in enchantments} | {g for item in items for g in item.get("enchantCategories", [])}
    attitudes = {"Hostile mobs": "hostile", "Passive mobs": "passive"}
    rows = {
        "release": [present(id=version, released=day, title=title) for version, day, title in RELEASES],
        "dimension": [{"id": name.lower(), "name": name} for name in ("Overworld", "Nether", "End")],
        "biome": [{"id": b["name"], "name": b["displayName"], "kind": b["category"], "temperature": b["temperature"],
                   "precipitation": b["has_precipitation"], "dimension": b["dimension"]} for b in read("biomes")],
        "enchantment": [{"id": e["name"], "name": e["displayName"], "max_level": e["maxLevel"], "rarity_weight": e["weight"],
                         "treasure_only": e["treasureOnly"], "curse": e["curse"], "tradeable": e["tradeable"], "item_group": e["category"],
                         "excludes": sorted(enchantment_names.intersection(e["exclude"]))} for e in enchantments],
        "item_group": [{"id": g, "name": g.replace("_", " ")} for g in sorted(groups)],
        "item": [present(
            id=i["name"], name=i["displayName"], stack_size=i["stackSize"], added_in=since["items"][i["name"]], durability=i.get("maxDurability"),
            item_groups=sorted(i["enchantCategories"]) if "enchantCategories" in i else None,
            repaired_with=sorted(item_names.intersection(i["repairWith"])) if "repairWith" in i else None,
            food_points=int(foods[i["name"]]["foodPoints"]) if i["name"] in foods else None,
            saturation=round(foods[i["name"]]["saturation"], 2) if i["name"] in foods else None) for i in items],
        "block": [present(
            id=b["name"], name=b["displayName"], resistance=b["resistance"], light=b["emitLight"], transparent=b["transparent"],
            solid=b["boundingBox"] == "block", added_in=since["blocks"][b["name"]], hardness=b["hardness"] if (b["hardness"] or 0) >= 0 else None,
            best_tool=tool(b), item=b["name"] if b["name"] in item_names else None) for b in blocks],
        "mob": [{"id": e["name"], "name": e["displayName"], "width": e["width"], "height": e["height"], "attitude": attitudes[e["category"]],
                 "kind": e["type"]} for e in read("entities") if e["category"] in attitudes],
        "mined_with": [{"block": b["name"], "item": name_of[int(t)]} for b in blocks for t in b.get("harvestTools", {})],
        "recipe": [], "needs": []}
    rows["mob_drops"] = [{**row, "player_kill_only": bool(drop.get("playerKill"))}
                         for drop, row in drops("entity", "mob", {mob["id"] for mob in rows["mob"]})]
    rows["block_drops"] = [{**row, "silk_touch": bool(drop.get("silkTouch"))}
                           for drop, row in drops("block", "block", {block["name"] for block in blocks})]
    number = collections.Counter()
    for recipe in (recipe for of_item in read("recipes").values() for recipe in of_item):
        result = name_of[recipe["result"]["id"]]
        number[result] += 1
        name = "%s-%d" % (result, number[result])
        shape = recipe.get("inShape")
        cells = [cell for line in shape for cell in line] if shape else recipe["ingredients"]
        small = len(shape) <= 2 and max(map(len, shape)) <= 2 if shape else len(cells) <= 4
        rows["recipe"].append({"id": name, "result": result, "amount": recipe["result"].get("count", 1), "shaped": bool(shape), "grid": "2x2" if small else "3x3"})
        amounts = collections.Counter(name_of[cell] for cell in cells if cell is not None)
        rows["needs"] += [{"recipe": name, "item": item, "amount": amount} for item, amount in sorted(amounts.items())]
    return rows


def bundle(rows):
    """Returns bundle.json with the entities and edges of the tables."""
    with open(os.path.join(HERE, "bundle.json"), encoding="utf-8") as file:
        made = json.load(file)
    made["entities"] = [{"entity_type": s["entity_type"], "items": rows[s["entity_type"]]} for s in made["schemas"]]
    made["edges"] = []
    for relation, table in zip(made["relations"], ("needs", "mob_drops", "block_drops", "mined_with")):
        start = relation["from"]
        for row in rows[table]:
            properties = {name: value for name, value in row.items() if name not in (start, "item")}
            made["edges"].append({"relation": relation["name"], "from": "%s:%s" % (start, row[start]), "to": "item:" + row["item"],
                                  **({"properties": properties} if properties else {})})
    return made
