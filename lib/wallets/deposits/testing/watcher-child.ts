// A watcher in its own process that kills itself at a chosen statement: before sending it, or after sending it without reading the result.

import { setClock } from "@/lib/base/clock";
import { createNodes } from "@/lib/chains/evm/nodes";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { awaitDeath, type Death } from "@/lib/db/testing/death";
import { createBaseWatcher } from "../base-watcher";

export interface WatcherOrder extends Death {
  databaseUrl: string;
  nodeUrl: string;
  chainId: number;
  startBlock: number;
  nowMs: number;
}

const order = JSON.parse(process.argv[2] ?? "") as WatcherOrder;
setDatabaseUrl(order.databaseUrl);
setClock(() => order.nowMs);

const end = awaitDeath(order);

const nodes = createNodes({ urls: [order.nodeUrl], chainId: order.chainId });
const { outcome } = await createBaseWatcher({ nodes, startBlock: order.startBlock }).tick();
end(outcome);
