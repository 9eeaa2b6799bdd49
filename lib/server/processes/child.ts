// One child of the service's process: started with its roles, told when to begin, started again when it ends or hangs.

import { type ChildProcess, fork } from "node:child_process";
import { once as nextEvent } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Role } from "@/lib/base/config";
import { type Kept, keepRunning } from "@/lib/base/keep-running";
import { log } from "@/lib/base/observe/log";
import { type ChildCheck, Link, type StartOrder } from "./link";
import { openSocketPlace } from "./socket-path";

interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
}

interface Started {
  ended: Promise<End>;
  stop: () => Promise<unknown>;
  begin: (order: StartOrder) => Promise<void>;
  link: Link;
  readChecks: () => readonly ChildCheck[];
}

export interface ChildOptions {
  dev: boolean;
  /** Resolves when the program that it runs is built. */
  built: Promise<void>;
  /** The public status of the whole service, for its page. */
  readStatus: () => Promise<unknown>;
}

const LOOK_EVERY_MS = 5_000;
/** A child reports once a second. A child that reported nothing at so many looks hangs; no look happens while this machine sleeps. */
const MOST_SILENT_LOOKS = 6;
const STOP_WITHIN_MS = 20_000;

/** Beside this file's own bundle. */
const program = () => join(dirname(fileURLToPath(import.meta.url)), "child.mjs");

export class Child {
  readonly roles: readonly Role[];
  readonly #options: ChildOptions;
  /** Started before it can begin, so that it loads meanwhile. */
  #early: Promise<Started> | null;
  #kept: Kept<Started> | null = null;
  #isStopping = false;
  hasServed = false;
  /** Kept through restarts, and removed by the process of the two that ends last. */
  readonly #place = openSocketPlace();

  constructor(roles: readonly Role[], options: ChildOptions) {
    this.roles = roles;
    this.#options = options;
    this.#early = options.built.then(() => {
      if (this.#isStopping) throw new Error("The service stops.");
      return start(roles, options);
    });
    this.#early.catch(() => undefined); // `begin` awaits it
  }

  /** Resolves when it serves. @throws Error with its reason when it cannot start; from then on it is started again whenever it ends */
  async begin(order: Omit<StartOrder, "socketPath">): Promise<void> {
    this.#kept = await keepRunning(`process for ${this.roles.join(" and ")}`, async () => {
      const started = await (this.#early ?? start(this.roles, this.#options));
      this.#early = null;
      await started.begin({ ...order, socketPath: this.#place.path });
      return started;
    });
    this.hasServed = true;
    if (this.#isStopping) await this.#kept.stop();
  }

  /** Where its pages listen; null while it is away. */
  get socketPath(): string | null {
    return this.#kept?.current() ? this.#place.path : null;
  }

  /** The checks that it reports; null while it is away. */
  get checks(): readonly ChildCheck[] | null {
    return this.#kept?.current()?.readChecks() ?? null;
  }

  /** Its metrics as prom-client's JSON; undefined while it is away. */
  async readMetrics(): Promise<unknown> {
    return this.#kept?.current()?.link.ask("metrics");
  }

  /** It refuses new work: streams of its pages end. */
  drain(): void {
    this.#kept?.current()?.link.send({ type: "drain" });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const early = await this.#early?.catch(() => null);
    await Promise.all([early?.stop(), this.#kept?.stop()]);
    this.#place.remove();
  }
}

function start(roles: readonly Role[], { dev, readStatus }: ChildOptions): Started {
  const child = fork(program(), dev ? ["--dev"] : [], {
    env: environmentFor(roles),
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    detached: true, // Ctrl-C in a terminal reaches its parent alone, which lets running work finish
  });
  const ended = Promise.race([
    nextEvent(child, "exit").then(([code, signal]): End => ({ code: code as number | null, signal: signal as NodeJS.Signals | null })),
    nextEvent(child, "error").then(([error]): End => {
      log().error({ err: error }, "a child process could not be started");
      return { code: null, signal: null };
    }),
  ]);
  const silence = watchSilence(child, ended);
  let checks: readonly ChildCheck[] = [];
  let begun: (problem?: Error) => void = () => undefined;
  const ready = new Promise<void>((resolve, reject) => {
    begun = (problem) => (problem ? reject(problem) : resolve());
  });
  ready.catch(() => undefined); // nobody awaits a child that is stopped before it began
  const link = new Link(child, { status: readStatus }, (message) => {
    if (message.type === "ready") begun();
    if (message.type === "failed") begun(new Error(message.reason));
    if (message.type !== "checks") return;
    silence.spoke();
    checks = message.checks;
  });
  void ended.then(({ code, signal }) =>
    begun(new Error(`The process for ${roles.join(" and ")} ended before it was ready (${signal ?? code ?? "not started"}).`)),
  );
  return {
    ended,
    link,
    readChecks: () => checks,
    begin: (order) => {
      link.send(order);
      return ready;
    },
    stop: async () => {
      link.send({ type: "stop" });
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
      await ended.finally(() => clearTimeout(late));
    },
  };
}

/** Ends a child that reports nothing for half a minute: its event loop hangs, and so do its pages. */
export function watchSilence(child: ChildProcess, ended: Promise<unknown>, lookEveryMs = LOOK_EVERY_MS): { spoke: () => void } {
  let silentLooks = 0;
  const looking = setInterval(() => {
    silentLooks += 1;
    if (silentLooks < MOST_SILENT_LOOKS) return;
    log().error({ pid: child.pid }, "a child process hangs; ending it");
    child.kill("SIGKILL");
  }, lookEveryMs).unref();
  void ended.then(() => clearInterval(looking));
  return {
    spoke: () => {
      silentLooks = 0;
    },
  };
}

/** Variables that only the jobs need: a hole in a page must find neither the signer nor the mail server's password. */
const forJobsAlone = [
  "SIGNER_SOCKET",
  "SIGNER_STATE_DIR",
  "CUSTODY_SEED_FILE",
  "CUSTODY_PASSPHRASE",
  "CUSTODY_PASSPHRASE_FILE",
  "CUSTODY_KEY_COMMAND",
  "SMTP_URL",
];

function environmentFor(roles: readonly Role[]): NodeJS.ProcessEnv {
  const environment = { ...process.env, ROLES: roles.join(",") };
  if (!roles.includes("jobs")) for (const name of forJobsAlone) Reflect.deleteProperty(environment, name);
  return environment;
}
