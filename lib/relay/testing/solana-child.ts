// A separate process that stores signed bytes for Solana and relays them, until they are final or it dies at a chosen statement.

import { setTimeout as sleep } from "node:timers/promises";
import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { inTransaction } from "@/lib/db/prisma";
import { awaitDeath, type Death } from "@/lib/db/testing/death";
import { getRelayed } from "../relayed";
import { runRelay } from "../run";
import { sendStored } from "../send";
import { type SignedTransaction, storeSigned } from "../signed";

export interface SolanaOrder extends Death {
  databaseUrl: string;
  nodeUrl: string;
  genesisHash: string;
  signed: Omit<SignedTransaction, "bytes"> & { base64: string };
}

const SLOT_MS = 25;

const order = JSON.parse(process.argv[2] ?? "") as SolanaOrder;
setDatabaseUrl(order.databaseUrl);
const end = awaitDeath(order);

const solana = new SolanaNodes({ urls: [order.nodeUrl], genesisHash: order.genesisHash });
const { base64, ...signed } = order.signed;
await inTransaction((transaction) => storeSigned({ ...signed, bytes: Buffer.from(base64, "base64") }, transaction));
await sendStored(signed.id, { solana });
while (!(await getRelayed(signed.id)).isFinal) {
  await runRelay({ solana, resendAfterMs: 0 });
  await sleep(SLOT_MS);
}
end("done");
