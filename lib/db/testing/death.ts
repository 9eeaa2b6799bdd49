// Kills a test's process at one of its statements, by its own SIGKILL: before the statement is sent, or once it is sent and before its
// answer is seen. A process that reaches its end reports its statements, so that later runs can die at them.

import pg from "pg";

export interface Death {
  /** Number of the statement, from 1; 0 for never. */
  killAt: number;
  /** Whether the statement is sent before the process dies. */
  sent: boolean;
}

/** The report of a process that was not killed. */
export interface LastWords {
  outcome: string;
  /** The first word of each statement. */
  statements: readonly string[];
}

/** Counts statements from now on. The returned function ends a process that is still alive. */
export function awaitDeath({ killAt, sent }: Death): (outcome: string) => void {
  const send = pg.Client.prototype.query;
  const statements: string[] = [];
  // Takes any arguments that pg's own takes.
  pg.Client.prototype.query = function (this: pg.Client, ...given: never[]) {
    const [statement] = given as (string | { text?: string } | undefined)[];
    const text = (typeof statement === "string" ? statement : statement?.text) ?? "";
    const isLast = statements.push(text.trim().split(/\W/, 1)[0] ?? "") === killAt;
    if (isLast && !sent) process.kill(process.pid, "SIGKILL");
    if (!isLast) return Reflect.apply(send, this, given);
    // On a busy machine the answer may arrive before the process dies; its callbacks must not see it.
    const unseeing = given.map((one) => (typeof one === "function" ? () => undefined : one));
    Promise.resolve(Reflect.apply(send, this, unseeing as typeof given)).catch(() => undefined);
    setImmediate(() => process.kill(process.pid, "SIGKILL"));
    return new Promise(() => undefined);
  } as typeof send;
  return (outcome) => process.stdout.write(JSON.stringify({ outcome, statements } satisfies LastWords), () => process.exit(0));
}
