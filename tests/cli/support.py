"""Helpers of the test files: running the program, its results, and files that are removed afterwards.

The program is the one that the environment variable FAULTLINE names, else build/faultline."""

import csv
import fcntl
import hashlib
import io
import json
import os
import pty
import re
import resource
import select
import shutil
import struct
import subprocess
import tempfile
import termios
import time
import unittest
import zlib
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAM = str(Path(os.environ.get("FAULTLINE", ROOT / "build" / "faultline")).resolve())
SANITIZED = os.environ.get("FAULTLINE_SANITIZE", "")  # as in CMake; such a program is slow and needs much memory
PROGRESS = re.compile(r"^(?: *\d+\.\d%(?: of \d+ .*)?, about .+ left|.*: \d+ .* so far)\n", re.M)  # shown every five seconds, by the clock
SANITIZER_REPORT = re.compile(r"LeakSanitizer|AddressSanitizer|ThreadSanitizer|runtime error:")
HANG = 1800  # seconds that a program may do nothing; one that never ends reaches the limit below first
PROCESSOR_SECONDS = 1200 if SANITIZED else 300  # of each process: far more than any test needs on any machine
FULL = bool(os.environ.get("FAULTLINE_FULL"))  # sh check.sh --full: also what takes long
FOREVER = 10**15  # trials: a run of this length only ever ends early
COLUMNS = ("topology,router,scope,fault_model,faults,fault_rate,trials,delivered,success_ratio,success_low,success_high,"
           "mean_path_length,path_low,path_high,blocked_source,blocked_destination,blocked_up,blocked_cross,blocked_down")

resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, resource.getrlimit(resource.RLIMIT_CPU)[1]))

Outcome = namedtuple("Outcome", "code out err")

needs_gnuplot = unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")


def sweep_arguments(spec=None, **options):
    """`sweep` with small defaults; an option that is None is left out, one that is True is a switch."""
    usual = {"trials": 10, "threads": 1}
    if spec is None:
        usual.update(topology="mikant:k=3,n=3", routers="shortest", faults="0,10")
    arguments = ["sweep"] + ([str(spec)] if spec is not None else [])
    for name, value in {**usual, **options}.items():
        if value is not None:
            arguments.append("--" + name.replace("_", "-"))
            if value is not True:
                arguments.append(str(value))
    return arguments


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def tree_of(folder):
    """Every path below a folder with the hash of its content: what is there, to be compared later."""
    def content(path):
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else "folder" if path.is_dir() else "other"
    return {str(path.relative_to(folder)): content(path) for path in sorted(Path(folder).rglob("*"))}


# In the content of a page: a string, a number, or the operator that shows the strings before it.
PDF_TOKEN = re.compile(rb"\(((?:[^()\\]|\\.)*)\)|(-?[\d.]+)|\b(T[jJ])\b", re.S)
PDF_FAR = 1000  # thousandths of the letters' size: two texts of one line, which Cairo shows at once


def pdf_texts(pdf):
    """The texts of a PDF file of Cairo, in the order in which they are drawn; they are of ASCII."""
    texts = []
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.S):
        try:
            content = zlib.decompress(stream)
        except zlib.error:
            continue
        if not content.isascii():  # a font
            continue
        shown = b""
        for string, number, operator in PDF_TOKEN.findall(content):
            if shown and (operator or number and abs(float(number)) > PDF_FAR):
                texts.append(re.sub(rb"\\\n|\\(.)", rb"\1", shown).decode())
                shown = b""
            shown += string
    return texts


class ProgramTest(unittest.TestCase):
    """Runs the program in a folder of its own."""

    maxDiff = 4000

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="faultline-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name, content=None):
        path = self.folder / name
        if content is not None:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def spec(self, **keys):
        """A spec file: a small sweep, with keys replaced, or left out if they are None."""
        usual = {"topology": "mikant:k=3,n=3", "routers": ["shortest", "gns"], "faults": [0, 10], "trials": 10}
        return self.path("spec.json", json.dumps({key: value for key, value in {**usual, **keys}.items() if value is not None}))

    def environment(self, changes):
        return {**{key: value for key, value in os.environ.items() if key != "TMPDIR"}, **(changes or {})}

    def check_sanity(self, outcome):
        self.assertIsNone(SANITIZER_REPORT.search(outcome.err), outcome.err)
        self.assertGreaterEqual(outcome.code, 0, f"ended by signal {-outcome.code}: {outcome.err}")

    def run_program(self, *arguments, env=None, timeout=HANG, **more):
        more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **more}
        done = subprocess.run([PROGRAM, *map(str, arguments)], stderr=subprocess.PIPE, cwd=self.folder, timeout=timeout,
                              env=self.environment(env), **more)
        err = PROGRESS.sub("", done.stderr.decode(errors="replace"))  # a busy machine shows more of it
        outcome = Outcome(done.returncode, (done.stdout or b"").decode(), err)
        self.check_sanity(outcome)
        return outcome

    def succeeds(self, *arguments, **more):
        outcome = self.run_program(*arguments, **more)
        self.assertEqual(outcome.code, 0, f"{arguments}: {outcome.err}")
        return outcome

    def is_refused(self, arguments, *words, **more):
        """Exit code 2, a message with all the words, nothing on stdout, no file touched."""
        before = tree_of(self.folder)
        outcome = self.run_program(*arguments, **more)
        shown = f"{arguments}: exit code {outcome.code}, stderr: {outcome.err[:2000]!r}"
        self.assertEqual(outcome.code, 2, shown)
        self.assertEqual(outcome.out, "", shown)
        self.assertTrue(outcome.err.startswith("faultline: "), shown)
        for word in words:
            self.assertIn(word, outcome.err, shown)
        self.assertEqual(tree_of(self.folder), before, f"{arguments}: files were touched")
        return outcome

    def results(self, folder="out"):
        """The table and the JSON of a results folder."""
        folder = self.folder / folder
        return read_csv((folder / "sweep.csv").read_text()), json.loads((folder / "sweep.json").read_text())

    def shown_at_a_terminal(self, *arguments, columns=0):
        """What a successful run prints when its stdout is a terminal (of an unknown number of columns where it is 0)."""
        reader, writer = pty.openpty()
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        shown = b""
        with subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.DEVNULL,
                              cwd=self.folder, env=self.environment(None)) as process:
            os.close(writer)
            while True:
                try:
                    more = os.read(reader, 65536)
                except OSError:  # the other side is closed
                    break
                if not more:
                    break
                shown += more
        os.close(reader)
        self.assertEqual(process.returncode, 0, shown)
        return shown.decode().replace("\r\n", "\n")

    def start(self, *arguments, env=None, terminal=True):
        """The program in the background, its stderr a terminal (or a pipe)."""
        return Background(self, [PROGRAM, *map(str, arguments)], self.environment(env), terminal)


def processor_seconds(pid):
    """Processor time of a process so far, all its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children_processor_seconds():
    """Processor time of the children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wait_until_it_has_worked(process, seconds):
    """Waits until a process (subprocess.Popen) has used this much processor time, however busy the machine is. False if it ended before."""
    while process.poll() is None:
        if processor_seconds(process.pid) >= seconds:
            return True
        time.sleep(.01)
    return False


class Background:
    """A running program. Its standard streams: nothing, a pipe, and a terminal or a pipe."""

    def __init__(self, test, command, env, terminal):
        self.test, self.seen = test, b""
        reader, writer = pty.openpty() if terminal else os.pipe()
        self.stderr = reader
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer, env=env,
                                        cwd=test.folder, start_new_session=True)
        os.close(writer)
        test.addCleanup(self.clean)

    def clean(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        os.close(self.stderr)

    def read_some(self, seconds):
        if not select.select([self.stderr], [], [], seconds)[0]:
            return b""
        try:
            return os.read(self.stderr, 65536)
        except OSError:  # a terminal whose other side is closed
            return b""

    def wait_for(self, pattern):
        """Waits until stderr has shown something that matches the pattern."""
        end = time.monotonic() + HANG
        while not re.search(pattern, self.seen):
            self.test.assertLess(time.monotonic(), end, f"{pattern} never came: {self.seen}")
            self.test.assertIsNone(self.process.poll(), f"ended before {pattern} came: {self.seen}")
            self.seen += self.read_some(.1)

    def wait_until_it_catches(self, number):
        """Waits until the signal would no longer simply end the program, whether or not it has printed anything."""
        end = time.monotonic() + HANG
        while True:
            self.test.assertIsNone(self.process.poll(), "ended before it caught the signal")
            [mask] = re.findall(r"SigCgt:\s*(\w+)", Path(f"/proc/{self.process.pid}/status").read_text())
            if int(mask, 16) >> (number - 1) & 1:
                return
            self.test.assertLess(time.monotonic(), end, "never caught the signal")
            time.sleep(.01)

    def wait_until_it_has_worked(self, seconds):
        self.test.assertTrue(wait_until_it_has_worked(self.process, seconds), "ended before")

    def wait_for_the_first_trials(self):
        """Waits for the bar, which is first drawn when trials have begun."""
        self.wait_for(rb"\[")

    def signal(self, number):
        os.kill(self.process.pid, number)

    def signal_and_finish(self, number):
        """The outcome, and the processor time that it still used."""
        before = children_processor_seconds() + processor_seconds(self.process.pid)
        self.signal(number)
        outcome = self.finish()
        return outcome, children_processor_seconds() - before

    def finish(self):
        out, _ = self.process.communicate(timeout=HANG)
        while more := self.read_some(0):
            self.seen += more
        outcome = Outcome(self.process.returncode, out.decode(), self.seen.decode(errors="replace"))
        self.test.check_sanity(outcome)
        return outcome
