// A Solana watcher in its own process that kills itself at a chosen statement: before sending it, or after sending it without reading the
// result.

import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { awaitDeath, type Death } from "@/lib/db/testing/death";
import { createSolanaWatcher } from "../solana-watcher";

export interface SolanaWatcherOrder extends Death {
  databaseUrl: string;
  nodeUrl: string;
  genesisHash: string;
}

const order = JSON.parse(process.argv[2] ?? "") as SolanaWatcherOrder;
setDatabaseUrl(order.databaseUrl);

const end = awaitDeath(order);

const nodes = new SolanaNodes({ urls: [order.nodeUrl], genesisHash: order.genesisHash });
const { outcome } = await createSolanaWatcher({ nodes }).tick();
end(outcome);
