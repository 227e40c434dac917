"""Sessions of psql for the random tests: what they are given, what they may answer."""
import os
import subprocess


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def start(script):
    """A session that runs a script; errors are SQLSTATEs on stderr."""
    done = subprocess.Popen(["psql", "-XqAt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            encoding="utf-8", env=dict(os.environ, PGOPTIONS="-c client_min_messages=error -c deadlock_timeout=50ms"))
    done.stdin.write("\\set VERBOSITY sqlstate\n" + script)
    done.stdin.close()
    return done


def run(script):
    done = start(script)
    output, errors = done.stdout.read(), done.stderr.read()
    done.wait()
    return output, errors
