// Requests of a key on a real ledger, without a provider: started, answered at a cost, charged.

import type { CapPeriod } from "@/lib/access/keys";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import { unitPrice } from "@/lib/ledger/testing/books";
import { fundedAccount, openKey } from "@/lib/ledger/testing/fund";
import { modelAt } from "@/lib/providers/testing/call-kit";
import type { Caller } from "../../http/caller";
import { openRequest } from "../../http/request";
import { type Completion, emptyOutput } from "../completion";
import { placeFromBalance } from "../hold";
import type { Prompt } from "../prompt-body";
import type { Quote } from "../quote";
import { attachHold } from "../settlement";

export interface Customer {
  accountId: AccountId;
  keyId: KeyId | null;
}

type Question = { ceiling?: number; idempotencyKey?: string };

/** A model at one nano-USD per token. */
const { model } = modelAt("http://nobody");

export async function openCustomer(amount: number, cap?: { nanoUsd: number; period: CapPeriod }) {
  const accountId = await fundedAccount(amount);
  return { accountId, keyId: await openKey(accountId, cap) };
}

export function callerOf({ accountId, keyId }: Customer): Caller {
  const limits = { limitedAs: accountId, limits: { ratePerMinute: 1, concurrency: 1 } };
  return { accountId, keyId, ...limits, allowedModels: null, clipMinTokens: null, scopes: ["prompt"], forget: () => undefined };
}

export const quoteOf = (ceiling: number): Quote => ({
  model,
  priceVersion: unitPrice,
  cacheWrites: "none",
  inputBound: 0,
  maxOutputTokens: ceiling,
  ceiling: nanoUsd(ceiling),
});

/** The hold of one request, and the functions that end it. */
export async function begin({ accountId, keyId }: Customer, { ceiling = 100, idempotencyKey }: Question = {}) {
  const request = openRequest({
    method: "POST",
    path: "/api/v1/prompt",
    query: "",
    readBody: () => ({ text: "" }),
    remoteAddress: "",
    headers: { "idempotency-key": idempotencyKey },
    signal: new AbortController().signal,
  });
  const caller = callerOf({ accountId, keyId });
  const quote = quoteOf(ceiling);
  const placed = await placeFromBalance(request, caller, {} as Prompt, quote);
  if (placed.kind !== "held") throw new Error("it was answered before");
  const requestHold = attachHold(request, placed.hold, { stream: false }, quote);
  const charge = (cost: number) => requestHold.charge(completionOf(cost), () => "");
  return { id: request.id, hold: placed.hold, charge, release: requestHold.release };
}

const completionOf = (tokens: number): Completion => ({
  output: emptyOutput(),
  outcome: "complete",
  estimated: false,
  provider: "openai",
  providerRequestId: null,
  firstTokenMs: null,
  providerMs: 1,
  usage: { ...noTokens, outputTokens: tokens },
});
