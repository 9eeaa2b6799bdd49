// A round of sweeps in its own process that kills itself at a chosen statement: after sending it, without reading the result.

import type { ChainId } from "@/lib/base/chains";
import { setClock } from "@/lib/base/clock";
import { createNodes } from "@/lib/chains/evm/nodes";
import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { awaitDeath, type Death } from "@/lib/db/testing/death";
import { openSigner } from "../../custody/seed-signer";
import { startCustody } from "../../custody/start-custody";
import { runSweepsOn } from "../run";

export interface SweepOrder extends Death {
  chain: ChainId;
  databaseUrl: string;
  nodeUrl: string;
  /** Genesis hash of the Solana cluster. */
  genesisHash: string;
  words: string;
  nowMs: number;
}

const order = JSON.parse(process.argv[2] ?? "") as SweepOrder;
setDatabaseUrl(order.databaseUrl);
setClock(() => order.nowMs);
await startCustody(await openSigner(order.words, "sandbox"));

const end = awaitDeath(order);

const { nodeUrl, genesisHash } = order;
await runSweepsOn(
  order.chain,
  order.chain === "base"
    ? { evm: createNodes({ urls: [nodeUrl], chainId: 31_337 }) }
    : { solana: new SolanaNodes({ urls: [nodeUrl], genesisHash }) },
);
end("done");
