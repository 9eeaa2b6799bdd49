// A separate process that stores and relays calls, and kills itself at a chosen statement: before it is sent, or once it is sent and before
// its answer is seen.

import type { Hex } from "viem";
import { setClock } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { createNodes } from "@/lib/chains/evm/nodes";
import { encodeTransfer, usdcAddress } from "@/lib/chains/evm/usdc";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { inTransaction } from "@/lib/db/prisma";
import { awaitDeath, type Death } from "@/lib/db/testing/death";
import { prepareCall, storeCall } from "../calls";
import { setRelayer } from "../relayer";
import { runRelay } from "../run";
import { sendStored } from "../send";
import { relayerOf } from "./relayed-chain";

export interface RelayOrder extends Death {
  databaseUrl: string;
  nodeUrl: string;
  chainId: number;
  relayerKey: Hex;
  nowMs: number;
  /** One call for each id, which moves one unit of USDC to this receiver; as many at once as the pool has connections. */
  ids: readonly string[];
  receiver: Hex;
  /** Whether each call is stored and rolled back once first. */
  rollBackFirst: boolean;
  rounds: number;
}

const order = JSON.parse(process.argv[2] ?? "") as RelayOrder;
setDatabaseUrl(order.databaseUrl);
setClock(() => order.nowMs);
setRelayer(relayerOf(order.relayerKey));

const end = awaitDeath(order);

const evm = createNodes({ urls: [order.nodeUrl], chainId: order.chainId });
const call = { to: usdcAddress(order.chainId), data: encodeTransfer(order.receiver, 1n) };

const prepared = await prepareCall(call, evm);
if (prepared.kind === "reverts") throw new Error(prepared.reason);
const storeAndRollBack = async (id: string) => {
  const rolledBack = inTransaction(async (transaction) => {
    await storeCall(id, prepared, transaction);
    throw new Error("rolled back");
  });
  await rolledBack.catch(() => undefined);
};
const waiting = [...order.ids];
const storeNext = async (): Promise<void> => {
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    if (order.rollBackFirst) await storeAndRollBack(id);
    await inTransaction((transaction) => storeCall(id, prepared, transaction));
  }
};
// Waiting more than five seconds for a connection of the pool fails.
await Promise.all(Array.from({ length: config().DATABASE_POOL_SIZE }, storeNext));
await sendStored(order.ids, { evm });
for (let round = 0; round < order.rounds; round++) await runRelay({ evm, stuckAfterMs: 0, resendAfterMs: 0 });
end("done");
