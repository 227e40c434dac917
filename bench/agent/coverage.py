"""What a question costs without a model: its shortest sequence of calls beside the SQL that answers it.

An answer is a list of rows.  take has an SQL/JSON path for each column, into
the last reply; sql gives the same rows from the plain tables; answer is what
both must be.  In any order, but where the question is ordered."""
import json
from decimal import Decimal

from graphs import compact, literal, questions, run_sql, sql_reply
from rows import says_the_same

# The texts that a result may have, as kg_graph.mcp_text says: whole, and by default in rows.
TEXTS = ("on", "auto")


def scalar(value):
    """Numbers by their value, to six digits: an average has more in one place than in the other."""
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        return format(Decimal(str(value)).quantize(Decimal("1.000000")).normalize(), "f")
    return value


def rows_of(columns):
    return [[scalar(v) for v in row] for row in zip(*columns)] if len({len(c) for c in columns}) == 1 else None


def same(one, other, ordered):
    if one is None or other is None:
        return False
    return one == other if ordered else sorted(map(compact, one)) == sorted(map(compact, other))


def flat(value):
    """A row of one array is as many rows."""
    return [[v] for v in value[0]] if len(value) == 1 and isinstance(value[0], list) else [value]


def sql_answer(text):
    return [[scalar(v) for v in row] for record in json.loads(text) for row in flat(list(record.values()))]


def ask_tools(graph, question):
    """The answer that the last of the calls gives, the errors, and the bytes of each kind of text."""
    paths = ", ".join("jsonb_path_query_array(r -> 'structuredContent', %s)" % literal(p) for p in question["take"])
    sql = ["SET kg_graph.toolsets = 'compact';"]
    for text in TEXTS:
        sql.append("SET kg_graph.mcp_text = '%s';" % text)
        for tool, arguments in question["calls"]:
            sql.append("SELECT jsonb_build_array(r -> 'isError', r #> '{content,0,text}', jsonb_build_array(%s), r -> 'structuredContent')"
                       " FROM kg_call_tool(%s, %s) r;" % (paths, literal(tool), literal(arguments)))
    lines = [json.loads(line, parse_float=Decimal) for line in run_sql("\n".join(sql), "agent_" + graph).splitlines()]
    n = len(question["calls"])
    told = {text: lines[i * n:(i + 1) * n] for i, text in enumerate(TEXTS)}
    return {"answer": rows_of(lines[n - 1][2]), "errors": sum(line[0] for line in told["on"]),
            "bytes": {text: sum(len(line[1].encode()) for line in told[text]) for text in TEXTS},
            "read": all(says_the_same(json.loads(line[1], parse_float=Decimal), line[3]) for line in told["auto"])}


def cover(graph):
    """A record for each question: what is right, and what was sent and received."""
    for question in questions(graph):
        tools = ask_tools(graph, question)
        good, text = sql_reply(graph, question["sql"])
        ordered = question.get("ordered", False)
        answer = [[scalar(v) for v in row] for row in question["answer"]] if "answer" in question else None
        by_sql = sql_answer(text) if good else None
        yield {"question": question["question"], "calls": len(question["calls"]), "errors": tools["errors"],
               "tools": tools["answer"], "sql": by_sql, "sql_error": None if good else text, "answer": answer,
               "right": same(tools["answer"], answer, ordered), "sql_right": same(by_sql, answer, ordered),
               "read": tools["read"], "agree": same(tools["answer"], by_sql, ordered), "bytes": tools["bytes"],
               "sql_bytes": len(text.encode()) if good else 0,
               "sent": sum(len(compact(c[1]).encode()) for c in question["calls"]),
               "sql_sent": len(question["sql"].encode())}


def ratio(covered, text):
    """The bytes of the replies to those of SQL."""
    return sum(c["bytes"][text] for c in covered) / sum(c["sql_bytes"] for c in covered)
