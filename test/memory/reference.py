"""A server that speaks MCP on its standard input and output."""
import json
import os
import subprocess


class Server:
    def __init__(self, command, env):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env={**os.environ, **env})
        self.id = 0
        self.initialized = self.request("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "differential", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.id += 1
        self.send({"id": self.id, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if line == "":
                raise SystemExit(f"{method}: the server ended")
            answer = json.loads(line)
            if answer.get("id") == self.id:
                return answer

    def call(self, tool, arguments):
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer:
            return {"isError": True, "content": [{"text": answer["error"]["message"]}]}
        return answer["result"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
