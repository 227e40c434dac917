"""Directions that the schema makes impossible, as tools.md describes them: such a step is
followed the other way, or the call is refused."""

import copy

import expected
from model import INVERSES, PERSON, PLACE, RELATIONS

TURNED = {"outgoing": "incoming", "incoming": "outgoing"}


def hop(relations, direction, at):
    ends = set()
    for name in relations:
        stored = INVERSES.get(name, name)
        variants, symmetric, _ = RELATIONS[stored]
        backwards = (direction == "incoming") != (name in INVERSES)
        for source, target in variants:
            if direction == "both" or symmetric or not backwards:
                ends |= {target} & ({target} if source in at else set())
            if direction == "both" or symmetric or backwards:
                ends |= {source} & ({source} if target in at else set())
    return ends


def ends_of(step, direction, at, labels):
    relations = [step["type"]] if isinstance(step["type"], str) else step["type"]
    ends = set(at) if step.get("min_hops") == 0 else set()
    for depth in range(1, step.get("max_hops", 1) + 1):
        at = hop(relations, direction, at)
        if depth >= step.get("min_hops", 1):
            ends |= at
    for label in labels:
        if label is not None:
            ends &= {label}
    return ends


def orient_step(step, at, last):
    """Turns the step round if need be; the types in which it ends."""
    labels = [step.get("to", {}).get("label"), last]
    direction = step.get("direction", "outgoing")
    if step["type"] == "*" or "*" in step["type"]:
        everything = list(RELATIONS)
        return ends_of(dict(step, type=everything), direction, at, labels)
    ends = ends_of(step, direction, at, labels)
    if ends or not at:
        return ends
    if direction != "both":
        ends = ends_of(step, TURNED[direction], at, labels)
    if not ends:
        raise expected.Refused("INVALID_INPUT")
    step["direction"] = TURNED[direction]
    return ends


def orient_steps(steps, label, last=None):
    at = {label} if label is not None else {PERSON, PLACE}
    for i, step in enumerate(steps):
        orient_within(step.get("to", {}))
        at = orient_step(step, at, last if i + 1 == len(steps) else None)


def orient_within(selection):
    label = selection.get("label", selection.get("node_label"))
    for key in ("related", "not_related"):
        for one in selection.get(key, []):
            for chain in one["any"] if "any" in one else [one]:
                orient_steps(chain if isinstance(chain, list) else [chain], label)


def oriented(tool, args):
    """The arguments as the call follows them; raises expected.Refused."""
    args = copy.deepcopy(args)
    if tool == "kg_verify":
        for claim in args["claims"]:
            for key in ("count", "none"):
                if key in claim:
                    try:
                        orient_within(claim[key]["arguments"])
                    except expected.Refused:
                        claim["invalid"] = True
        return args
    for key in ("from", "to", "node", "between"):
        if isinstance(args.get(key), dict):
            orient_within(args[key])
    orient_within(args)
    if tool == "kg_neighbors" and args.get("relationship_types"):
        step = {"type": args["relationship_types"], "direction": args.get("direction", "both")}
        orient_step(step, {args["start_node"]["label"]}, None)
        args["direction"] = step["direction"]
    start = args.get("from", args.get("node", {}))
    steps = args.get("relationships", [])
    if steps and isinstance(start, dict):
        orient_steps(steps, start.get("label"), args["to"].get("label") if isinstance(args.get("to"), dict) else None)
    for group in args.get("group_by", []):
        if "relationship" in group:
            step = {"type": group["relationship"], "direction": group.get("direction", "outgoing"), "to": {"label": group.get("label")}}
            orient_step(step, {start["label"]}, None)
            group["direction"] = step["direction"]
    return args
