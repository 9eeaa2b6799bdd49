// One round of the payout job in its own process that kills itself at a chosen statement: before sending it, or after sending it without
// reading the result.

import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { awaitDeath, type Death } from "@/lib/db/testing/death";
import { runRelay } from "@/lib/relay/run";
import { openSigner } from "../../custody/seed-signer";
import { startCustody } from "../../custody/start-custody";
import { payWithdrawals } from "../pay-withdrawals";

/** Counts the statements of the round. */
export interface PayoutOrder extends Death {
  databaseUrl: string;
  words: string;
  evmUrl: string;
  solanaUrl: string;
  genesisHash: string;
}

const order = JSON.parse(process.argv[2] ?? "") as PayoutOrder;
setDatabaseUrl(order.databaseUrl);
setSandboxEvmNodes([order.evmUrl]);
setSandboxSolanaNodes([order.solanaUrl], order.genesisHash);
await startCustody(await openSigner(order.words, "sandbox"));

const end = awaitDeath(order);

await payWithdrawals();
await runRelay({ resendAfterMs: 0 });
end("done");
