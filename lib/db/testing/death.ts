// Death of a test's process at one of its statements, by its own kill -9: before it is sent, or when it is sent and its answer not
// seen. One that comes to its end tells its statements, so that the next ones can die at them.

import pg from "pg";

export interface Death {
  /** From 1; 0 for never. */
  killAt: number;
  /** Let the statement go before the end. */
  sent: boolean;
}

/** Of a process that was not killed. */
export interface LastWords {
  outcome: string;
  /** The first word of each. */
  statements: readonly string[];
}

/** Counts statements from now on. What it returns ends a process that is still alive. */
export function awaitDeath({ killAt, sent }: Death): (outcome: string) => void {
  const send = pg.Client.prototype.query;
  const statements: string[] = [];
  // Called with whatever pg's own is called with.
  pg.Client.prototype.query = function (this: pg.Client, ...given: never[]) {
    const [statement] = given as (string | { text?: string } | undefined)[];
    const text = (typeof statement === "string" ? statement : statement?.text) ?? "";
    const isLast = statements.push(text.trim().split(/\W/, 1)[0] ?? "") === killAt;
    if (isLast && !sent) process.kill(process.pid, "SIGKILL");
    if (!isLast) return Reflect.apply(send, this, given);
    // On a busy machine the answer may be there before the end is, and is not to be seen.
    const unseeing = given.map((one) => (typeof one === "function" ? () => undefined : one));
    Promise.resolve(Reflect.apply(send, this, unseeing as typeof given)).catch(() => undefined);
    setImmediate(() => process.kill(process.pid, "SIGKILL"));
    return new Promise(() => undefined);
  } as typeof send;
  return (outcome) => process.stdout.write(JSON.stringify({ outcome, statements } satisfies LastWords), () => process.exit(0));
}
