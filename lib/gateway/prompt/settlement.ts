// Ends a hold: charged with the answer's cost, or released. Exactly once, whichever comes first: the answer, its stream, or the end of the
// request.

import { AppError } from "@/lib/base/errors";
import { type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import { deferTelemetry, log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { type ChargeDetails, dividePaid, nothingSaid, type Settled, type Settlement } from "@/lib/ledger/commit/codec";
import { isRefusal, settleHold } from "@/lib/ledger/commit/commit";
import type { Hold } from "@/lib/ledger/holds";
import { postTransfer } from "@/lib/ledger/transfers";
import { releaseHold, settleLater } from "@/lib/ledger/waiting-settlements";
import { costOf } from "@/lib/providers/prices";
import type { TokenUsage } from "@/lib/providers/types";
import type { GatewayRequest } from "../http/request";
import { commit } from "./commit";
import type { Completion, PricedCompletion } from "./completion";
import { type RequestContent, sealAnswer } from "./kept-answer";
import type { Prompt } from "./prompt-body";
import { type Quote, recordInputOverrun } from "./quote";

/** The part of a prompt that its charge records. */
type Billed = Pick<Prompt, "stream" | "deliversAtEnd" | "said">;

const REVENUE = "revenue";

type SettledRequest = Pick<GatewayRequest, "onEnd"> & RequestContent;

type WriteBody = (priced: PricedCompletion) => string;

/** The charge of an answer. */
export interface Charged extends PricedCompletion {
  /** False when its hold was gone and less than its price could still be taken: it must not arrive whole. */
  isPaid: boolean;
}

export interface RequestHold {
  /** True once the hold has ended, or is ending. */
  readonly ended: boolean;
  /** Charges the completion; `writeBody` writes the reply body that an idempotency key saves. */
  charge(completion: Completion, writeBody: WriteBody): Promise<Charged>;
  /**
   * The same, and resolves with the body, which is written while the charge is awaited.
   * @throws AppError INTERNAL_ERROR when it could not be paid for: then nothing is charged
   */
  chargeForBody(completion: Completion, writeBody: WriteBody): Promise<string>;
  /** Frees the hold and its idempotency key; nothing is charged. */
  release(): Promise<void>;
}

/** Attaches a hold to its request: if the hold has not ended when the request does, it is released. */
export function attachHold(request: SettledRequest, hold: Hold, prompt: Billed, quote: Quote): RequestHold {
  const requestHold = {
    ended: false,
    charge(completion: Completion, writeBody: WriteBody): Promise<Charged> {
      requestHold.ended = true;
      return chargeHold(hold, prompt, quote, completion, sealedFor(hold, request, writeBody));
    },
    chargeForBody(completion: Completion, writeBody: WriteBody): Promise<string> {
      const write = rememberBody(writeBody);
      const charging = requestHold.charge(completion, write).then((charged) => (charged.isPaid ? write(charged) : refuseUnpaid()));
      try {
        // The charge is nearly always the expected one.
        write(expectedPrice(hold, quote, completion));
      } catch {
        // The error surfaces when the actual price is written.
      }
      return charging;
    },
    async release(): Promise<void> {
      if (requestHold.ended) return;
      requestHold.ended = true;
      await releaseHold(commit(), hold);
    },
  };
  request.onEnd(() => (requestHold.ended ? undefined : requestHold.release()));
  return requestHold;
}

function refuseUnpaid(): never {
  throw new AppError("INTERNAL_ERROR", {
    message: "The answer came too late to be charged and was discarded. You were not charged; send the request again",
    details: { reason: "internal", retryable: true },
  });
}

/** An Idempotency-Key asks that its answer is kept. For a payment it is kept so that only its sender reads it. */
function sealedFor({ claim, paidBy }: Hold, request: RequestContent, writeBody: WriteBody): WriteBody {
  return claim === null || paidBy === "balance" ? writeBody : (priced) => sealAnswer(writeBody(priced), claim.key, request);
}

async function chargeHold(hold: Hold, prompt: Billed, quote: Quote, completion: Completion, writeBody: WriteBody): Promise<Charged> {
  const { usage } = completion;
  const { inputCost, outputCost } = costOf(quote.model.prices, usage);
  const charge = chargeDetails(hold, prompt, quote, completion);
  const expected = expectedPrice(hold, quote, completion);
  const isKept = hold.claim !== null && completion.outcome !== "lost";
  const reply = isKept ? { status: 200, body: writeBody(expected) } : null;
  const settlement: Settlement = { hold, inputCost, outputCost, charge, reply };
  let settled: Settled;
  try {
    settled = await settleHold(commit(), settlement);
  } catch (error) {
    settleUnbooked(settlement, charge, { prompt, quote }, error);
    throw error;
  }
  const isPaid = settled.inputCost + settled.outputCost >= expected.inputCost + expected.outputCost;
  recordSettled(settlement, settled, quote, usage);
  if (usage.inputTokens > quote.inputBound) await recordInputOverrun(quote.model.id);
  return { completion, inputCost: settled.inputCost, outputCost: settled.outputCost, isPaid };
}

/**
 * Books an answer later that could not be booked while its client waited, once the ledger answers again. A stream was delivered, and an
 * idempotency key keeps the answer available: those are charged as usual. Any other answer was never delivered, and the operator bears its
 * cost.
 */
function settleUnbooked(
  settlement: Settlement,
  charge: ChargeDetails,
  { prompt, quote }: { prompt: Billed; quote: Quote },
  error: unknown,
): void {
  metrics().lostAnswers.inc();
  const { hold } = settlement;
  const isDelivered = (charge.streamed && !prompt.deliversAtEnd) || hold.claim !== null;
  log().error({ err: error, requestId: hold.requestId, model: quote.model.id, isDelivered }, "an answer could not be booked in time");
  if (isRefusal(error)) return;
  const later: Settlement = isDelivered ? settlement : { ...settlement, charge: { ...charge, outcome: "lost" } };
  settleLater(commit(), later, async (settled) => {
    const paid = nanoUsd(settled.inputCost + settled.outputCost);
    if (isDelivered || paid === 0n) return recordSettled(later, settled, quote, charge.usage);
    await refund(hold, paid);
    recordLoss(quote, charge.usage, paid, "lost_answer");
  });
}

/** Refunds the charge of an undelivered answer: the charge was made, and only its confirmation was lost. */
async function refund({ requestId, accountId }: Hold, paid: NanoUsd): Promise<void> {
  const legs = [
    { account: accountId, amount: paid },
    { account: REVENUE, amount: nanoUsd(-paid) },
  ];
  await postTransfer({ id: `refund_${requestId}`, kind: "refund", legs });
  log().warn({ requestId, paidNanoUsd: paid.toString() }, "a charge for an answer that was not delivered is given back");
}

function recordSettled({ inputCost, outputCost, charge }: Settlement, settled: Settled, quote: Quote, usage: Usage): void {
  const paid = settled.inputCost + settled.outputCost;
  const isLate = settled.outcome === "late";
  // The earlier charge was recorded then.
  const loss = settled.outcome === "already" ? 0n : inputCost + outputCost - paid;
  const reason = charge?.outcome === "lost" ? "lost_answer" : isLate ? "late" : "overrun";
  recordLoss(quote, usage, nanoUsd(loss), reason);
  if (isLate) metrics().lostAnswers.inc();
  if (charge?.estimated) {
    metrics().estimatedCharges.inc({ outcome: charge.outcome });
    metrics().unbilledNanoUsd.inc({ outcome: charge.outcome }, Number(charge.unbilled));
  }
  deferTelemetry(() => metrics().chargedNanoUsd.inc({ model: quote.model.id }, Number(paid)));
}

type Usage = Pick<TokenUsage, "inputTokens" | "outputTokens">;

/** Does not write a body twice for the same costs. */
function rememberBody(writeBody: WriteBody): WriteBody {
  let last: { priced: PricedCompletion; body: string } | undefined;
  return (priced) => {
    const isSame = last?.priced.inputCost === priced.inputCost && last.priced.outputCost === priced.outputCost;
    if (!last || !isSame) last = { priced, body: writeBody(priced) };
    return last.body;
  };
}

/** The charge to expect while the hold exists: at most the hold, the input first. */
function expectedPrice(hold: Hold, quote: Quote, completion: Completion): PricedCompletion {
  const { inputCost, outputCost } = costOf(quote.model.prices, completion.usage);
  const due: bigint = inputCost + outputCost;
  const paid = due < hold.ceiling ? due : hold.ceiling;
  const divided = dividePaid(paid, inputCost);
  return { completion, inputCost: divided.inputCost, outputCost: divided.outputCost };
}

function chargeDetails({ paidBy }: Hold, prompt: Billed, quote: Quote, completion: Completion): ChargeDetails {
  return {
    model: quote.model.id,
    provider: completion.provider,
    providerRequestId: completion.providerRequestId,
    priceVersion: quote.priceVersion,
    usage: completion.usage,
    outcome: completion.outcome,
    streamed: prompt.stream,
    estimated: completion.estimated,
    paidBy,
    firstTokenMs: completion.firstTokenMs === null ? null : Math.round(completion.firstTokenMs),
    providerMs: Math.round(completion.providerMs),
    unbilled: unbilledOf(quote, completion),
    ...(prompt.said ?? nothingSaid),
  };
}

/** The part of the provider's bill that an estimate probably leaves out. */
function unbilledOf({ model: { prices } }: Quote, { usage, probable }: Completion): NanoUsd {
  if (!probable) return ZERO_USD;
  const [charged, billed] = [costOf(prices, usage), costOf(prices, probable)];
  const unbilled = billed.inputCost + billed.outputCost - charged.inputCost - charged.outputCost;
  return unbilled > 0n ? nanoUsd(unbilled) : ZERO_USD;
}

function recordLoss(quote: Quote, usage: Usage, loss: NanoUsd, reason: "late" | "overrun" | "lost_answer"): void {
  if (loss <= 0n) return;
  metrics().operatorLossNanoUsd.inc({ reason }, Number(loss));
  if (reason !== "overrun") return;
  metrics().overruns.inc({ model: quote.model.id });
  log().error(
    { model: quote.model.id, usage, inputBound: quote.inputBound, lossNanoUsd: loss.toString() },
    "an answer cost more than its hold",
  );
}
