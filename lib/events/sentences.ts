// Each event in one sentence for people, with the amounts that decide: for chats, mails and the console.

import { formatUsd, nanoUsd } from "@/lib/base/money";
import type { KindName } from "@/lib/providers/prices";
import { type EventTypeName, type EventValue, isEventType, type PriceChange } from "./catalogue";

type Data = Readonly<Record<string, EventValue>>;

const money = (value: EventValue | undefined): string => (typeof value === "bigint" ? formatUsd(nanoUsd(value)) : "an amount");
const because = ({ reason }: Data): string => (reason ? ` (${reason})` : "");
const change = ({ kind, before, after, fromInputTokens }: PriceChange): string => {
  const where = fromInputTokens ? ` of prompts of ${fromInputTokens.toLocaleString("en-US")} tokens and more` : "";
  return `${kindTexts[kind]}${where} from ${formatUsd(before)} to ${formatUsd(after)}`;
};

const kindTexts: Readonly<Record<KindName, string>> = {
  input: "input",
  cache_read: "cached input",
  cache_write: "cache writes",
  cache_write_1h: "cache writes for hours",
  image: "images",
  output: "output",
  reasoning: "reasoning",
};

const keyOf = ({ name, last4, keyId }: Data): string => (name ? `“${name}” (…${last4})` : String(keyId));

const whyDisabled: Readonly<Record<string, string>> = {
  gone: "it answered that it is gone",
  unsubscribed: "its reader wants no more e-mails",
};

const changeTexts: Readonly<Record<string, string>> = {
  added: "was added",
  switched_on: "was switched on",
  switched_off: "was switched off",
  deleted: "was deleted",
  events: "gets other events than before",
  secret: "got a new secret",
};

const sentences: Readonly<Record<EventTypeName, (data: Data) => string>> = {
  "account.closed": () =>
    "Your account was closed. If that was not you, sign in with one of its wallets: that opens it again. Personal data is erased after seven days.",
  "balance.low": ({ balance, threshold }) => `Your balance is ${money(balance)}, below your threshold of ${money(threshold)}.`,
  "balance.exhausted": ({ available, needed }) =>
    `A request was refused: it could cost ${money(needed)}, and ${money(available)} is available.`,
  "deposit.seen": ({ amount, chain }) => `A deposit of ${money(amount)} is on ${chain}. It is credited once its block is safe.`,
  "deposit.credited": ({ amount, chain }) => `A deposit of ${money(amount)} on ${chain} is credited.`,
  "deposit.reversed": ({ amount, chain }) => `${chain} dropped a deposit of ${money(amount)}. If it was credited, it was taken back.`,
  "payment.completed": ({ amount, payer }) => `A payment of ${money(amount)} by ${payer} is complete.`,
  "payment.failed": (data) => `A payment of ${money(data.amount)} by ${data.payer} failed${because(data)}.`,
  "withdrawal.requested": ({ amount, destination, payFrom }) =>
    `A withdrawal of ${money(amount)} to ${destination} was ordered${payFrom ? ", and waits as your rules say" : ""}. If that was not you, cancel it under Withdraw.`,
  "withdrawal.rules_changed": () => "Your rules for withdrawals were changed. What is looser applies after 24 hours.",
  "withdrawal.completed": ({ amount, destination }) => `A withdrawal of ${money(amount)} to ${destination} is paid.`,
  "withdrawal.failed": (data) => `A withdrawal of ${money(data.amount)} was not paid${because(data)}. Its money is back in your balance.`,
  "key.cap_80": ({ keyId, spent, cap, period }) => `Key ${keyId} has spent ${money(spent)} of its cap of ${money(cap)} (${period}).`,
  "key.cap_reached": ({ keyId, needed, used, cap, period }) =>
    `A request of key ${keyId} was refused: it could cost ${money(needed)}, and ${money(used)} of its cap of ${money(cap)} (${period}) is used.`,
  "key.spike": ({ keyId, spent, usual, paused }) =>
    `Key ${keyId} spent ${money(spent)} in the last 60 minutes, usually ${money(usual)}.${paused === "yes" ? " It was paused." : ""}`,
  "key.created": (data) => `Key ${keyOf(data)} was created.`,
  "key.paused": (data) => `Key ${keyOf(data)} was paused. Its requests are refused until it is resumed.`,
  "key.revoked": (data) => `Key ${keyOf(data)} was revoked.`,
  "endpoint.changed": ({ kind, host, change }) =>
    `The ${kind} at ${host} ${changeTexts[String(change)] ?? "was changed"}. If that was not you, sign out everywhere under Settings.`,
  "endpoint.disabled": ({ kind, host, reason }) =>
    `The ${kind} at ${host} was switched off: ${whyDisabled[String(reason)] ?? "every attempt of five days failed"}.`,
  "model.retiring": ({ model, retiresOn, successor }) =>
    `${model} retires on ${retiresOn}.${successor ? ` Use ${successor} instead.` : ""}`,
  "price.changed": ({ model, changes }) =>
    `The price of ${model} changed, per million tokens: ${Array.isArray(changes) ? changes.map(change).join("; ") : "see the list of models"}.`,
  "wallet.linked": ({ address }) => `Wallet ${address} was linked. It can sign in.`,
  "wallet.leaving": ({ address }) => `Wallet ${address} will be unlinked in 24 hours. If that was not you, keep it under Settings.`,
  "wallet.unlinked": ({ address }) => `Wallet ${address} was unlinked.`,
};

/** One sentence, or two; for a type that a newer release wrote, its name. */
export const sentenceOf = ({ type, data }: { type: string; data: Data }): string =>
  isEventType(type) ? sentences[type](data) : `Event ${type}.`;
