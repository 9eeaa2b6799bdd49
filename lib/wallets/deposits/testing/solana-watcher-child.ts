// A watcher of Solana in a process of its own that kills itself at a chosen statement: before it is sent, or when it is sent and
// its answer not seen. Says "done" when it comes to the end.

import pg from "pg";
import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { setDatabaseUrl } from "@/lib/db/pool";
import { createSolanaWatcher } from "../solana-watcher";

export interface SolanaWatcherOrder {
  databaseUrl: string;
  nodeUrl: string;
  genesisHash: string;
  /** From 1. */
  killAt: number;
  /** Let the statement go before the end. */
  sent: boolean;
}

const order = JSON.parse(process.argv[2] ?? "") as SolanaWatcherOrder;
setDatabaseUrl(order.databaseUrl);

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

const nodes = new SolanaNodes({ urls: [order.nodeUrl], genesisHash: order.genesisHash });
const { outcome } = await createSolanaWatcher({ nodes }).tick();
process.stdout.write(outcome === "read" ? "done\n" : `${outcome}\n`);
process.exit(0);
