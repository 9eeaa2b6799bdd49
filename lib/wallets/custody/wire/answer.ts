// The signer's side of the codec: one order comes in as text, and one answer goes out as text. It never throws: whatever was sent, the
// signer goes on.

import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { baseChainId } from "@/lib/chains/evm/base";
import { isSolanaUnavailable } from "@/lib/chains/solana/node-failure";
import { isSignerUnavailable } from "@/lib/relay/signer-unavailable";
import { isPayoutRefused } from "../limits/payout-refused";
import type { Signer } from "../signer";
import { type AnswerOf, type Operation, type OrderOf, operations, type Problem, replyForm, requestForm } from "./forms";
import { parseFrame } from "./frames";

type Handlers = { readonly [K in Operation]: (signer: Signer, order: OrderOf<K>) => Promise<AnswerOf<K>> };

const handlers: Handlers = {
  identify: async ({ fingerprint, xpub, usdcMint, treasury, relayer, sponsor }) => ({
    fingerprint,
    xpub,
    usdcMint,
    treasury: { base: treasury.base, solana: treasury.solana },
    relayer: relayer.address,
    sponsor: sponsor.address,
    serviceName: config().SERVICE_NAME,
    chainId: baseChainId(),
  }),
  deriveAddresses: async (signer, { index }) => {
    const { baseAddress, ...addresses } = await signer.deriveAddresses(index);
    return { ...addresses, baseAddress: baseAddress as `0x${string}` };
  },
  signSweepOnBase: (signer, order) => signer.signSweepOnBase(order),
  signSweepOnSolana: (signer, order) => signer.signSweepOnSolana(order),
  signTreasuryAccountOnSolana: (signer, { blockhash }) => signer.signTreasuryAccountOnSolana(blockhash),
  checkPayout: async (signer, order) => {
    await signer.checkPayout(order);
    return {};
  },
  signPayoutOnBase: (signer, { cost, ...order }) => signer.signPayoutOnBase(order, cost),
  signPayoutOnSolana: (signer, order) => signer.signPayoutOnSolana(order),
  signForRelayer: async (signer, { value, ...order }) => {
    const { r, s, yParity } = await signer.relayer.signTransaction({ ...order, ...(value === undefined ? {} : { value }) });
    return { r, s, yParity: yParity ?? 0 };
  },
  signPaymentOnSolana: (signer, { bytes }) => signer.sponsor.signPayment(bytes),
};

/** Carries out the order in `frame`, one line of JSON. Resolves with the answer, one line of JSON. */
export async function answerFrame(signer: Signer, frame: string): Promise<string> {
  const request = requestForm.safeParse(parseFrame(frame));
  if (!request.success) return reply(null, { kind: "refused", message: "This is no order to the signer." });
  const { id, operation, order } = request.data;
  try {
    return JSON.stringify({ id, answer: await carryOut(signer, operation, order) });
  } catch (error) {
    return reply(id, problemOf(error, operation));
  }
}

async function carryOut<K extends Operation>(signer: Signer, operation: K, order: unknown): Promise<unknown> {
  const form = operations[operation];
  const read = z.safeDecode(form.order as z.ZodType, order);
  if (!read.success) throw new Malformed(operation);
  const answer = await handlers[operation](signer, read.data as OrderOf<K>);
  return z.encode(form.answer as z.ZodType, answer);
}

/** Not the parser's error, which repeats the input. */
class Malformed extends Error {
  constructor(operation: Operation) {
    super(`The order has another form than ${operation} takes.`);
  }
}

const reply = (id: number | null, problem: Problem): string => JSON.stringify(z.encode(replyForm, { id, problem }));

function problemOf(error: unknown, operation: Operation): Problem {
  const message = error instanceof Error ? error.message.slice(0, 2_000) : "";
  if (isPayoutRefused(error)) return { kind: "payout_refused", refusal: error.refusal, message };
  if (isSignerUnavailable(error)) return { kind: "not_now", message: error.reason };
  if (isSolanaUnavailable(error)) return { kind: "nodes", message };
  if (error instanceof Malformed || message.startsWith("assertion failed: ")) {
    warnOfForeignOrder(operation, message);
    return { kind: "refused", message };
  }
  log().error({ err: error, operation }, "could not carry out an order");
  return { kind: "failed", message: "The signer could not carry out the order: its log says why." };
}

const MIN_LOG_EVERY_MS = 1_000;
const lastWarning = processSingleton("last foreign order to the signer", () => ({ atMs: Number.NEGATIVE_INFINITY }));

/** An attacker in a process of the service must not fill the signer's log, and its disk. */
function warnOfForeignOrder(operation: Operation, why: string): void {
  const last = lastWarning();
  if (nowMs() - last.atMs < MIN_LOG_EVERY_MS) return;
  last.atMs = nowMs();
  log().warn({ operation, why }, "refused an order that no process of this service sends: look who uses the signer's socket");
}
