// A separate process that takes payments from the claim to the credit, and kills itself at a chosen statement: before it is sent, or once
// it is sent and before its answer is seen.

import { setClock } from "@/lib/base/clock";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { awaitDeath, type Death } from "@/lib/db/testing/death";
import { setRelayer } from "@/lib/relay/relayer";
import { openSigner } from "@/lib/wallets/custody/seed-signer";
import { hardhatWords } from "@/lib/wallets/custody/testing/seeds";
import type { PaymentTerms } from "../claims/claim";
import { claimPayment } from "../claims/claim-payment";
import { creditPayment } from "../claims/claim-steps";
import { settlePayments } from "../followup/run";
import { settleClaim } from "../settlement/settle";

export interface PaymentOrder extends Death {
  databaseUrl: string;
  nodeUrl: string;
  nowMs: number;
  /** The signed terms, with amounts and hashes as text. */
  payments: readonly (Omit<PaymentTerms, "amount" | "bodyHash" | "validUntil"> & {
    amount: string;
    bodyHash: string;
    validUntil: string;
  })[];
  waitMs: number;
  /** Rounds of the job to run instead of requests. */
  rounds: number;
  /** True for a process without the relayer. */
  isWeb: boolean;
}

const order = JSON.parse(process.argv[2] ?? "") as PaymentOrder;
setDatabaseUrl(order.databaseUrl);
setClock(() => order.nowMs);
setSandboxEvmNodes([order.nodeUrl]);
if (!order.isWeb) setRelayer((await openSigner(hardhatWords, "sandbox")).relayer);

const end = awaitDeath(order);

async function pay({ amount, bodyHash, validUntil, ...rest }: PaymentOrder["payments"][number]): Promise<string> {
  const terms = { ...rest, amount: BigInt(amount), bodyHash: Buffer.from(bodyHash, "hex"), validUntil: new Date(validUntil) };
  const taken = await claimPayment(terms as PaymentTerms);
  if (taken.kind !== "claimed") return taken.kind;
  const settled = await settleClaim(taken.claim, order.waitMs);
  if (settled.kind === "paid") await creditPayment(taken.claim, settled);
  return settled.kind;
}

const outcomes = await Promise.all(order.payments.map(pay));
for (let round = 0; round < order.rounds; round++) await settlePayments.run();
end(outcomes.join() || "done");
