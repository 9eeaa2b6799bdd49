// Load like the gateway's, through the product's own batchers: holds that are settled exactly, overrun or released. Every acknowledged
// settlement is reported, so that a test can look for it after a crash.

import { type AccountId, type KeyId, newRequestId, type RequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { commit } from "@/lib/gateway/prompt/commit";
import { settleHold } from "../commit/commit";
import type { Hold } from "../holds";
import { placeHold } from "../place-hold";
import { chargeDetails } from "./books";

export interface Spender {
  account: AccountId;
  key: KeyId | null;
}

export interface Acknowledged {
  request: RequestId;
  account: AccountId;
  outcome: string;
  /** Nano-USD, as text. */
  charged: string;
}

interface LoadOptions {
  spenders: readonly Spender[];
  workers: number;
  tell: (acknowledged: Acknowledged) => void;
  /** Called for every hold that failed without an answer; a settlement that fails ends the load. */
  tellFailure?: (error: unknown) => void;
}

/** Starts load; `stop` resolves when every worker has ended its last request. */
export function startLoad(options: LoadOptions): { stop: () => Promise<void> } {
  let stopped = false;
  const work = async (worker: number) => {
    for (let round = worker; !stopped; round++) {
      const spender = options.spenders[round % options.spenders.length];
      if (spender) await spendOnce(spender, round, options);
    }
  };
  const workers = Promise.all(Array.from({ length: options.workers }, (_, worker) => work(worker)));
  workers.catch(() => undefined);
  return {
    stop: async () => {
      stopped = true;
      await workers;
    },
  };
}

const holdOf = ({ account, key }: Spender, ceiling: number | bigint): Hold => ({
  requestId: newRequestId(),
  accountId: account,
  keyId: key,
  model: "model",
  ceiling: nanoUsd(ceiling),
  claim: null,
  paidBy: "balance",
});

async function spendOnce(spender: Spender, round: number, { tell, tellFailure }: LoadOptions): Promise<void> {
  const hold = holdOf(spender, 1 + (round % 20));
  const decision = await placeHold(commit(), hold).catch(async (error: unknown) => {
    tellFailure?.(error);
    await new Promise((resolve) => setTimeout(resolve, 20)); // the server is gone: do not spin
    return null;
  });
  if (decision?.outcome !== "held") {
    await new Promise((resolve) => setImmediate(resolve));
    return;
  }
  const cost = round % 7 === 0 ? hold.ceiling + 3n : hold.ceiling / 2n;
  const released = round % 5 === 0;
  const settled = await settleHold(commit(), {
    hold,
    inputCost: nanoUsd(released ? 0n : cost / 3n),
    outputCost: nanoUsd(released ? 0n : cost - cost / 3n),
    charge: released ? null : chargeDetails(Number(cost / 3n), Number(cost - cost / 3n)),
    reply: null,
  });
  const charged = (settled.inputCost + settled.outputCost).toString();
  tell({ request: hold.requestId, account: spender.account, outcome: settled.outcome, charged });
}

/** How many of `times` equal concurrent requests were served, and the outcomes of the others. The served ones are settled in full. */
export async function spendAtOnce(spender: Spender, times: number, ceiling: number): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  const spend = async () => {
    const hold = holdOf(spender, ceiling);
    const { outcome } = await placeHold(commit(), hold);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (outcome !== "held") return;
    const charge = chargeDetails(ceiling, 0);
    await settleHold(commit(), { hold, inputCost: nanoUsd(ceiling), outputCost: nanoUsd(0), charge, reply: null });
  };
  await Promise.all(Array.from({ length: times }, spend));
  return outcomes;
}
