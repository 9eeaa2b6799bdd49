// Each event in one sentence for people, with the amounts that decide: for chats, mails and the console.

import { formatUsd, nanoUsd } from "@/lib/base/money";
import type { KindName } from "@/lib/providers/prices";
import { type EventTypeName, isEventType, type PriceChange } from "./catalogue";
import type { EventValue } from "./event-data";

type Data = Readonly<Record<string, EventValue>>;

const money = (value: EventValue | undefined): string => (typeof value === "bigint" ? formatUsd(nanoUsd(value)) : "an amount");
const because = ({ reason }: Data): string => (reason ? ` (${reason})` : "");
const change = ({ kind, before, after, fromInputTokens }: PriceChange): string => {
  const where = fromInputTokens ? ` for prompts of ${fromInputTokens.toLocaleString("en-US")} tokens or more` : "";
  return `${kindTexts[kind]}${where} from ${formatUsd(before)} to ${formatUsd(after)}`;
};

const kindTexts: Readonly<Record<KindName, string>> = {
  input: "input",
  cache_read: "cached input",
  cache_write: "cache writes",
  cache_write_1h: "cache writes (1 hour)",
  image: "images",
  output: "output",
  reasoning: "reasoning",
};

const chainOf = (chain: EventValue | undefined): string => chainNames[String(chain)] ?? String(chain);
const chainNames: Readonly<Record<string, string>> = { base: "Base", solana: "Solana" };

const keyOf = ({ name, last4, keyId }: Data): string => (name ? `“${name}” (…${last4})` : String(keyId));

const whyDisabled: Readonly<Record<string, string>> = {
  gone: "it answered 410 Gone",
  unsubscribed: "its recipient unsubscribed",
};

const changeTexts: Readonly<Record<string, string>> = {
  added: "was added",
  switched_on: "was turned on",
  switched_off: "was turned off",
  deleted: "was deleted",
  events: "now receives different events",
  secret: "got a new secret",
};

const sentences: Readonly<Record<EventTypeName, (data: Data) => string>> = {
  "account.closed": () =>
    "Your account was closed. If that was not you, sign in with one of its wallets: that opens it again. Personal data is deleted after seven days.",
  "balance.low": ({ balance, threshold }) => `Your balance is ${money(balance)}, below your threshold of ${money(threshold)}.`,
  "balance.exhausted": ({ available, needed }) =>
    `A request was refused because it could cost ${money(needed)} and only ${money(available)} is available.`,
  "deposit.seen": ({ amount, chain }) => `${money(amount)} deposit seen on ${chainOf(chain)}. We'll credit it once confirmed.`,
  "deposit.credited": ({ amount, chain }) => `${money(amount)} deposit on ${chainOf(chain)} credited to your balance.`,
  "deposit.reversed": ({ amount, chain }) =>
    `${chainOf(chain)} reversed a ${money(amount)} deposit. If it was credited, we took it out of your balance.`,
  "payment.completed": ({ amount, payer }) => `Payment of ${money(amount)} by ${payer} completed.`,
  "payment.failed": (data) => `Payment of ${money(data.amount)} by ${data.payer} failed${because(data)}.`,
  "withdrawal.requested": ({ amount, destination, payFrom }) =>
    `Withdrawal of ${money(amount)} to ${destination} requested${payFrom ? "; it is paid after the waiting time you set" : ""}. If this was not you, cancel it on the Withdraw page.`,
  "withdrawal.rules_changed": () => "Your withdrawal limits were changed. Stricter limits apply immediately; looser ones after 24 hours.",
  "withdrawal.completed": ({ amount, destination }) => `Withdrawal of ${money(amount)} to ${destination} paid.`,
  "withdrawal.failed": (data) => `Withdrawal of ${money(data.amount)} was not paid${because(data)}. The amount is back in your balance.`,
  "key.cap_80": ({ keyId, spent, cap, period }) =>
    `Key ${keyId} has spent ${money(spent)} of its ${money(cap)} spending limit (${period}).`,
  "key.cap_reached": ({ keyId, needed, used, cap, period }) =>
    `A request with key ${keyId} was refused because it could cost ${money(needed)} and ${money(used)} of the key's ${money(cap)} spending limit (${period}) is used.`,
  "key.spike": ({ keyId, spent, usual, paused }) =>
    `Key ${keyId} spent ${money(spent)} in the last 60 minutes. It usually spends ${money(usual)}.${paused === "yes" ? " It was paused." : ""}`,
  "key.created": (data) => `Key ${keyOf(data)} was created.`,
  "key.paused": (data) => `Key ${keyOf(data)} was paused. Its requests are refused until it is resumed.`,
  "key.revoked": (data) => `Key ${keyOf(data)} was revoked.`,
  "endpoint.changed": ({ kind, host, change }) =>
    `The ${kind} at ${host} ${changeTexts[String(change)] ?? "was changed"}. If this was not you, sign out everywhere on the Settings page.`,
  "endpoint.disabled": ({ kind, host, reason }) =>
    `The ${kind} at ${host} was turned off: ${whyDisabled[String(reason)] ?? "every delivery failed for five days"}.`,
  "model.retiring": ({ model, retiresOn, successor }) =>
    `${model} retires on ${retiresOn}.${successor ? ` Use ${successor} instead.` : ""}`,
  "price.changed": ({ model, changes }) =>
    `The price of ${model} per million tokens changed: ${Array.isArray(changes) ? changes.map(change).join("; ") : "see the models page"}.`,
  "wallet.linked": ({ address }) => `Wallet ${address} was linked and can now sign in.`,
  "wallet.leaving": ({ address }) =>
    `Wallet ${address} will be unlinked in 24 hours. If this was not you, choose Keep on the Settings page.`,
  "wallet.unlinked": ({ address }) => `Wallet ${address} was unlinked.`,
};

/** One sentence, or two; for a type that a newer release wrote, its name. */
export const sentenceOf = ({ type, data }: { type: string; data: Data }): string =>
  isEventType(type) ? sentences[type](data) : `Event ${type}.`;
