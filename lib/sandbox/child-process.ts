// Child processes of the sandbox: programs that never outlive this process. A child gets a clean environment and its own process group, so
// that Ctrl-C in the terminal reaches only us and running work can finish first. End of standard input tells a child to end; the system
// closes it however we die, kill -9 included.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface ChildOptions<Ready> {
  /** Its name in messages: `simulated models`. */
  name: string;
  command: string;
  args: readonly string[];
  /** True for a program that ends when its standard input does; false wraps it in a watcher. */
  endsWithStdin: boolean;
  /** Parses a line of its standard output; undefined until the child is ready. */
  readReady(line: string): Ready | undefined;
  /** Milliseconds within which the ready line must appear. */
  readyTimeoutMs?: number;
  /** Milliseconds between the request to end and SIGKILL. */
  stopTimeoutMs?: number;
}

export interface ChildEnd {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The end of its standard error output, for messages. */
  lastWords: string;
}

export interface Child<Ready> {
  pid: number;
  ready: Ready;
  /** Resolves when the child has ended, for any reason; never rejects. */
  ended: Promise<ChildEnd>;
  /** Ends the child and waits for it. May be called more than once. */
  stop(): Promise<ChildEnd>;
}

const HANDED_ON = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "SystemRoot"];
const LAST_WORDS_CHARACTERS = 2000;

// A shell that starts the program and kills it when its own standard input ends. `read` is a builtin, so no process remains when the
// program ends first; the redirections keep the watcher from holding our pipes open.
const WATCHER = `
exec 3<&0 </dev/null
"$@" 3<&- &
program=$!
(read -r _ <&3; kill "$program"; sleep 5; kill -9 "$program") >/dev/null 2>&1 &
watcher=$!
wait "$program"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"`;

/**
 * Starts a child and waits until it is ready.
 * @throws Error when it cannot be started, ends early, or is not ready in time; it is stopped by then
 */
export async function startChild<Ready>(options: ChildOptions<Ready>): Promise<Child<Ready>> {
  const program = spawnDetached(options);
  const ended = watchEnd(program);
  const stop = () => stopChild(program, ended, options.stopTimeoutMs ?? 5_000);
  try {
    const ready = await waitUntilReady(program, ended, options);
    return { pid: program.pid ?? 0, ready, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function spawnDetached<Ready>({ command, args, endsWithStdin }: ChildOptions<Ready>): ChildProcess {
  const [file, fileArgs] = endsWithStdin ? [command, args] : ["/bin/sh", ["-c", WATCHER, "sh", command, ...args]];
  return spawn(file, fileArgs, {
    // The few variables that every program needs: the child inherits nothing else of ours.
    env: { NODE_ENV: process.env.NODE_ENV, ...cleanEnvironment() },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    windowsHide: true,
  });
}

function cleanEnvironment(): Record<string, string> {
  return Object.fromEntries(HANDED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}

function watchEnd(child: ChildProcess): Promise<ChildEnd> {
  let lastWords = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    lastWords = (lastWords + text).slice(-LAST_WORDS_CHARACTERS);
  });
  // Writing to a child that has ended raises a pipe error, which is irrelevant.
  child.stdin?.on("error", () => {});
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, signal: null, lastWords: error.message }));
    child.once("close", (code, signal) => resolve({ code, signal, lastWords: lastWords.trim() }));
  });
}

async function waitUntilReady<Ready>(child: ChildProcess, ended: Promise<ChildEnd>, options: ChildOptions<Ready>): Promise<Ready> {
  const { name, readReady, readyTimeoutMs = 10_000 } = options;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The ${name} did not start within ${readyTimeoutMs} ms.`)), readyTimeoutMs);
  });
  const end = ended.then(({ code, signal, lastWords }): never => {
    throw new Error(`The ${name} ended before it was ready (${signal ?? code ?? "not started"}): ${lastWords}`);
  });
  try {
    return await Promise.race([readLines(child, readReady), end, timeout]);
  } finally {
    clearTimeout(timer);
    end.catch(() => {}); // From now on `ended` reports the end.
  }
}

// Keeps reading after the child is ready, since a full pipe would block it.
function readLines<Ready>(child: ChildProcess, readReady: (line: string) => Ready | undefined): Promise<Ready> {
  return new Promise((resolve) => {
    if (child.stdout === null) return;
    let isReady = false;
    createInterface({ input: child.stdout }).on("line", (line) => {
      const ready = isReady ? undefined : readReady(line);
      if (ready === undefined) return;
      isReady = true;
      resolve(ready);
    });
  });
}

async function stopChild(child: ChildProcess, ended: Promise<ChildEnd>, timeoutMs: number): Promise<ChildEnd> {
  child.stdin?.end();
  const timer = setTimeout(() => killGroup(child), timeoutMs);
  try {
    return await ended;
  } finally {
    clearTimeout(timer);
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL"); // No process groups (Windows), or it has just ended.
  }
}
