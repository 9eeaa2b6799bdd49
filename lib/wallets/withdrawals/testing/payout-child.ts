// One round of the payout job in a process of its own that kills itself at a chosen step: before a statement is sent to the
// database, when it is sent and its answer not seen, or when a transaction was sent to a chain. Says "done" at the end.

import pg from "pg";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { setDatabaseUrl } from "@/lib/db/pool";
import { runRelay } from "@/lib/relay/run";
import { openSigner } from "../../seed-signer";
import { startCustody } from "../../start-custody";
import { payWithdrawals } from "../pay-withdrawals";

export interface PayoutOrder {
  databaseUrl: string;
  words: string;
  evmUrl: string;
  solanaUrl: string;
  genesisHash: string;
  /** From 1, among the statements of the round. */
  killAt: number;
  /** Let the statement go before the end. */
  sent: boolean;
}

const order = JSON.parse(process.argv[2] ?? "") as PayoutOrder;
setDatabaseUrl(order.databaseUrl);
setSandboxEvmNodes([order.evmUrl]);
setSandboxSolanaNodes([order.solanaUrl], order.genesisHash);
await startCustody(await openSigner(order.words, "sandbox"));

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

await payWithdrawals();
await runRelay({ resendAfterMs: 0 });
process.stdout.write("done\n");
process.exit(0);
