// How a hold ends: charged with what the answer cost, or released. Exactly once, whoever asks first: the answer, its stream,
// or the end of the request.

import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { afterwards } from "@/lib/base/observe/afterwards";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { shrinkHold } from "@/lib/ledger/shrink-hold";
import type { TokenUsage } from "@/lib/providers/types";
import { type ChargeDetails, dividePaid, type SettleItem } from "./commit-items";
import { askHoldAhead, endRoom, keepHoldAhead } from "./hold-ahead";
import type { Output } from "./output";
import { noteInputOverrun } from "./overrun";
import type { Hold } from "./placed-hold";
import type { Prompt } from "./prompt-body";
import type { Quote } from "./quote";
import { endOf, releaseHold } from "./release";
import type { GatewayRequest } from "./request";
import { type Settled, submitSettlement, tryAgain } from "./settle-batch";

/** An answer, whole or as far as it came. */
export interface Completion {
  output: Output;
  usage: TokenUsage;
  outcome: ChargeDetails["outcome"];
  /** True when the provider gave no count and ours is used. */
  estimated: boolean;
  provider: string;
  firstTokenMs: number | null;
  providerMs: number;
}

/** What a request cost, as it was charged. */
export interface Receipt {
  completion: Completion;
  inputCost: NanoUsd;
  outputCost: NanoUsd;
}

/** What a charge says of its prompt. */
type Asked = Pick<Prompt, "stream">;

type WriteBody = (receipt: Receipt) => string;

export interface Settlement {
  /** True once the hold has been ended, or is being ended. */
  readonly ended: boolean;
  /** Charges the completion; `writeBody` makes the reply body that an idempotency key keeps. */
  charge(completion: Completion, writeBody: WriteBody): Promise<Receipt>;
  /** The same, and resolves with the body; it is written while the charge is awaited. */
  chargeForBody(completion: Completion, writeBody: WriteBody): Promise<string>;
  /** Frees the hold and its idempotency key; nothing is charged. */
  release(): Promise<void>;
}

/** Opens the settlement of a hold; when the request ends and nobody has settled, the hold is released. */
export function openSettlement(request: Pick<GatewayRequest, "onEnd">, hold: Hold, prompt: Asked, quote: Quote): Settlement {
  const settlement = {
    ended: false,
    charge(completion: Completion, writeBody: WriteBody): Promise<Receipt> {
      settlement.ended = true;
      endRoom(hold);
      return chargeHold(hold, prompt, quote, completion, writeBody);
    },
    chargeForBody(completion: Completion, writeBody: WriteBody): Promise<string> {
      const write = rememberBody(writeBody);
      const charging = settlement.charge(completion, write).then(write);
      try {
        // What is charged is nearly always what was expected.
        write(expectedReceipt(hold, quote, completion));
      } catch {
        // Said when it is written of what was charged.
      }
      return charging;
    },
    async release(): Promise<void> {
      if (settlement.ended) return;
      settlement.ended = true;
      endRoom(hold);
      await releaseHold(hold);
    },
  };
  request.onEnd(() => (settlement.ended ? undefined : settlement.release()));
  return settlement;
}

async function chargeHold(hold: Hold, prompt: Asked, quote: Quote, completion: Completion, writeBody: WriteBody): Promise<Receipt> {
  const { usage } = completion;
  const { inputCost, outputCost } = costsOf(quote, usage);
  const item = endOf(hold);
  item.inputCost = inputCost;
  item.outputCost = outputCost;
  item.charge = chargeDetails(hold, prompt, quote, completion);
  if (hold.claim) {
    item.status = 200;
    item.body = writeBody(expectedReceipt(hold, quote, completion));
  }
  const next = askHoldAhead(hold, quote);
  let settled: Settled;
  try {
    if (inputCost + outputCost > quote.ceiling && hold.ceiling > quote.ceiling) item.ceiling = await fitHold(hold, quote);
    settled = await submitSettlement(item, next);
  } catch (error) {
    if (next) keepHoldAhead(next, undefined);
    noteLost(item, quote, error);
    throw error;
  }
  if (next) keepHoldAhead(next, settled.next);
  const receipt = { completion, inputCost: settled.inputCost, outputCost: settled.outputCost };
  const loss = nanoUsd(inputCost + outputCost - receipt.inputCost - receipt.outputCost);
  noteLoss(quote, usage, loss, settled.outcome === "late");
  if (usage.inputTokens > quote.inputBound) await noteInputOverrun(quote.model.id);
  afterwards(() => metrics().chargedNanoUsd.inc({ model: quote.model.id }, Number(receipt.inputCost + receipt.outputCost)));
  return receipt;
}

/** A hold ahead has some room: no answer may cost more than its own request was quoted. */
async function fitHold(hold: Hold, { ceiling }: Quote): Promise<NanoUsd> {
  const shrink = () => shrinkHold(hold, ceiling);
  await shrink().catch((error: unknown) => tryAgain(hold.requestId, error, shrink));
  return ceiling;
}

function noteLost(item: SettleItem, quote: Quote, error: unknown): void {
  metrics().lostAnswers.inc();
  metrics().operatorLossNanoUsd.inc({ reason: "lost_answer" }, Number(item.inputCost + item.outputCost));
  log().error({ err: error, requestId: item.request, model: quote.model.id }, "an answer could not be settled; its hold will expire");
}

const costsOf = ({ model }: Quote, usage: TokenUsage) => ({
  inputCost: nanoUsd(BigInt(usage.inputTokens) * model.inputPrice),
  outputCost: nanoUsd(BigInt(usage.outputTokens) * model.outputPrice),
});

/** Does not write a body again for the same costs. */
function rememberBody(writeBody: WriteBody): WriteBody {
  let last: { receipt: Receipt; body: string } | undefined;
  return (receipt) => {
    const isSame = last?.receipt.inputCost === receipt.inputCost && last.receipt.outputCost === receipt.outputCost;
    if (!last || !isSame) last = { receipt, body: writeBody(receipt) };
    return last.body;
  };
}

/** What will be charged as long as the hold is there: at most the hold, the input first. */
function expectedReceipt(hold: Hold, quote: Quote, completion: Completion): Receipt {
  const { inputCost, outputCost } = costsOf(quote, completion.usage);
  let paid: bigint = inputCost + outputCost;
  for (const most of [hold.ceiling, quote.ceiling]) if (paid > most) paid = most;
  const divided = dividePaid(paid, inputCost);
  return { completion, inputCost: divided.inputCost, outputCost: divided.outputCost };
}

function chargeDetails({ paidBy }: Hold, prompt: Asked, quote: Quote, completion: Completion): ChargeDetails {
  return {
    model: quote.model.id,
    provider: completion.provider,
    priceVersion: quote.priceVersion,
    inputTokens: completion.usage.inputTokens,
    outputTokens: completion.usage.outputTokens,
    cachedInputTokens: completion.usage.cachedInputTokens,
    reasoningTokens: completion.usage.reasoningTokens,
    outcome: completion.outcome,
    streamed: prompt.stream,
    estimated: completion.estimated,
    paidBy,
    firstTokenMs: completion.firstTokenMs === null ? null : Math.round(completion.firstTokenMs),
    providerMs: Math.round(completion.providerMs),
  };
}

function noteLoss(quote: Quote, usage: TokenUsage, loss: NanoUsd, late: boolean): void {
  if (late) metrics().lostAnswers.inc();
  if (loss <= 0n) return;
  metrics().operatorLossNanoUsd.inc({ reason: late ? "late" : "overrun" }, Number(loss));
  if (late) return;
  metrics().overruns.inc({ model: quote.model.id });
  log().error(
    { model: quote.model.id, usage, inputBound: quote.inputBound, lossNanoUsd: loss.toString() },
    "an answer cost more than its hold",
  );
}
