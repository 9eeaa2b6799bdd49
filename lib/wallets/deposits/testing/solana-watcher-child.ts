// A watcher of Solana in a process of its own that kills itself at a chosen statement: before it is sent, or when it is sent and
// its answer not seen.

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
