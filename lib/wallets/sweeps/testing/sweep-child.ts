// A round of sweeps in a process of its own that kills itself at a chosen statement, which is sent and its answer not seen.
// Says "done" when it comes to the end.

import pg from "pg";
import { setClock } from "@/lib/base/clock";
import { createNodes } from "@/lib/chains/evm/nodes";
import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { setDatabaseUrl } from "@/lib/db/pool";
import { openSigner } from "../../seed-signer";
import { startCustody } from "../../start-custody";
import { runSweepsOn } from "../run";
import type { SweepChain } from "../sweep";

export interface SweepOrder {
  chain: SweepChain;
  databaseUrl: string;
  nodeUrl: string;
  /** Of Solana's cluster. */
  genesisHash: string;
  words: string;
  nowMs: number;
  /** From 1. */
  killAt: number;
}

const order = JSON.parse(process.argv[2] ?? "") as SweepOrder;
setDatabaseUrl(order.databaseUrl);
setClock(() => order.nowMs);
await startCustody(await openSigner(order.words, "sandbox"));

const send = pg.Client.prototype.query;
let statements = 0;
// Called with whatever pg's own is called with.
pg.Client.prototype.query = function (this: pg.Client, ...given: never[]) {
  statements += 1;
  const answer = Reflect.apply(send, this, given);
  if (statements === order.killAt) setImmediate(() => process.kill(process.pid, "SIGKILL"));
  return answer;
} as typeof send;

const { nodeUrl, genesisHash } = order;
await runSweepsOn(
  order.chain,
  order.chain === "base"
    ? { evm: createNodes({ urls: [nodeUrl], chainId: 31_337 }) }
    : { solana: new SolanaNodes({ urls: [nodeUrl], genesisHash }) },
);
process.stdout.write("done\n");
process.exit(0);
