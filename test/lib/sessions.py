"""Sessions of psql for the random tests: their scripts, and the SQLSTATEs that they may return."""
import os
import subprocess
import sys


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


class Session(subprocess.Popen):
    def wait(self, timeout=None):
        """Whatever a script does, the server goes on: psql ends with 2 where it lost its connection."""
        if super().wait(timeout) == 2:
            sys.exit("a session lost its connection to the server")
        return self.returncode


def start(script):
    """A session that runs a script; errors are SQLSTATEs on stderr."""
    done = Session(["psql", "-XqAt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            encoding="utf-8", env=dict(os.environ, PGOPTIONS="-c client_min_messages=error -c deadlock_timeout=50ms"))
    done.stdin.write("\\set VERBOSITY sqlstate\n" + script)
    done.stdin.close()
    return done


def run(script):
    done = start(script)
    output, errors = done.stdout.read(), done.stderr.read()
    done.wait()
    return output, errors
