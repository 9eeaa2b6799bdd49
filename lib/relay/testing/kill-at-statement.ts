// Death of a process of a test at one of its statements: before it is sent, or when it is sent and its answer not seen.

import pg from "pg";

export interface Death {
  /** From 1; 0 for never. */
  killAt: number;
  /** Let the statement go before the end. */
  sent: boolean;
}

export function killAtStatement({ killAt, sent }: Death): void {
  const send = pg.Client.prototype.query;
  let statements = 0;
  // Called with whatever pg's own is called with.
  pg.Client.prototype.query = function (this: pg.Client, ...given: never[]) {
    statements += 1;
    if (statements === killAt && !sent) process.kill(process.pid, "SIGKILL");
    const answer = Reflect.apply(send, this, given);
    if (statements === killAt) setImmediate(() => process.kill(process.pid, "SIGKILL"));
    return answer;
  } as typeof send;
}
