// A watcher in a process of its own that kills itself at a chosen statement: before it is sent, or when it is sent and its answer
// not seen. Says "done" when it comes to the end.

import pg from "pg";
import { freezeAccount } from "@/lib/access/accounts";
import { setClock } from "@/lib/base/clock";
import { createNodes } from "@/lib/chains/evm/nodes";
import { setDatabaseUrl } from "@/lib/db/pool";
import { createBaseWatcher } from "../base-watcher";

export interface WatcherOrder {
  databaseUrl: string;
  nodeUrl: string;
  chainId: number;
  startBlock: number;
  nowMs: number;
  /** From 1. */
  killAt: number;
  /** Let the statement go before the end. */
  sent: boolean;
}

const order = JSON.parse(process.argv[2] ?? "") as WatcherOrder;
setDatabaseUrl(order.databaseUrl);
setClock(() => order.nowMs);

const send = pg.Client.prototype.query;
let statements = 0;
// Called with whatever pg's own is called with.
pg.Client.prototype.query = function (this: pg.Client, ...given: never[]) {
  statements += 1;
  if (statements === order.killAt && !order.sent) process.kill(process.pid, "SIGKILL");
  const answer = Reflect.apply(send, this, given);
  if (statements === order.killAt) setImmediate(() => process.kill(process.pid, "SIGKILL"));
  return answer;
} as typeof send;

const nodes = createNodes({ urls: [order.nodeUrl], chainId: order.chainId });
const { outcome } = await createBaseWatcher({ freeze: freezeAccount, nodes, startBlock: order.startBlock }).tick();
process.stdout.write(outcome === "read" ? "done\n" : `${outcome}\n`);
process.exit(0);
