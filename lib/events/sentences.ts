// Each event in one sentence for people, with the amounts that decide: for chats, mails and the console. Codes are for programs: here each
// has its words.

import { chainName, perChain } from "@/lib/base/chains";
import { formatUsd, nanoUsd } from "@/lib/base/money";
import { utcText } from "@/lib/base/text/utc-text";
import { kindLabels } from "@/lib/base/tokens/token-kinds";
import { paymentFailures } from "@/lib/chains/payment-failure";
import { displayAddress } from "@/lib/chains/wallet";
import { type EventTypeName, isEventType, type PriceChange } from "./catalogue";
import type { EventValue } from "./event-data";

type Value = EventValue | undefined;
type Data = Readonly<Record<string, EventValue>>;
type Words = Readonly<Record<string, string>>;

const money = (value: Value): string => (typeof value === "bigint" ? formatUsd(nanoUsd(value)) : "an amount");

const total = (...values: Value[]): string =>
  money(values.every((value) => typeof value === "bigint") ? nanoUsd(values.reduce((sum, value) => sum + value, 0n)) : undefined);

/** A code that a newer release wrote has no words yet. */
const from = (words: Words, unknown: string) => {
  const known = new Map(Object.entries(words));
  return (code: Value): string => known.get(String(code)) ?? unknown;
};

const moment = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" } as const;

/** UTC, since nobody told us where the reader is. */
const time = (at: Value, unknown: string): string =>
  at instanceof Date && !Number.isNaN(at.getTime()) ? `${utcText(at, moment)} UTC` : unknown;

const day = (date: Value): string =>
  typeof date === "string" && /^\d{4}-\d{2}-\d{2}$/.test(date)
    ? utcText(new Date(`${date}T00:00:00Z`), { day: "numeric", month: "long", year: "numeric" })
    : String(date);

const address = (value: Value): string =>
  /^0x[0-9a-f]{40}$/i.test(String(value)) ? displayAddress({ chain: "evm", address: String(value) }) : String(value);

const chain = from(perChain(chainName), "its network");
const per = from({ hour: "per hour", day: "per day", week: "per week", month: "per month" }, "in total");
const destination = from({ webhook: "webhook", chat: "Slack or Discord channel", email: "email address" }, "destination");

/** By its name, as far as the caller knows it. */
const key = ({ name, last4, keyId }: Data): string => (name ? `“${name}” (…${last4})` : String(keyId));

function priceChange({ kind, before, after, fromInputTokens }: PriceChange): string {
  const where = fromInputTokens ? ` for prompts of ${fromInputTokens.toLocaleString("en-US")} tokens or more` : "";
  return `${kindLabels[kind]}${where} from ${formatUsd(before)} to ${formatUsd(after)}`;
}

const whyNotPaid = from({ ...paymentFailures, reversed: "its network dropped the transaction" }, paymentFailures.settlement_failed);

const whyOff = from(
  { gone: "it answered 410 Gone", failing: "every attempt failed for five days", unsubscribed: "its recipient unsubscribed" },
  "nothing can be delivered to it",
);

const changed = from(
  {
    added: "was added",
    switched_on: "was turned on",
    switched_off: "was turned off",
    deleted: "was deleted",
    events: "now receives different events",
    secret: "got a new secret",
  },
  "was changed",
);

/** Cancelled by its owner, or refused and failed for a reason that was written for them. */
function endOfWithdrawal({ reason = "", amount, fee, destination: to }: Data): string {
  const written = String(reason).trim();
  const why = ["", "cancelled", "refused", "failed"].includes(written) ? "" : ` ${written}${written.endsWith(".") ? "" : "."}`;
  const end = reason === "cancelled" ? "was cancelled" : "was not paid";
  return `Withdrawal of ${money(amount)} to ${address(to)} ${end}.${why} ${total(amount, fee)} is back in your balance.`;
}

/** A key of a new account has nothing to compare with. */
const usually = (usual: Value): string => (usual === 0n ? "" : ` It usually spends ${money(usual)} in this hour of the week.`);

const sentences: Readonly<Record<EventTypeName, (data: Data) => string>> = {
  "account.closed": () =>
    "Your account was closed. If this was not you, sign in with one of its wallets to reopen it. Personal data is deleted after seven days.",
  "balance.low": ({ balance, threshold }) => `Your balance is ${money(balance)}, below your threshold of ${money(threshold)}.`,
  "balance.exhausted": ({ available, needed }) =>
    `A request was refused because it could cost ${money(needed)} and only ${money(available)} is available.`,
  "deposit.seen": (data) =>
    `${money(data.amount)} deposit seen on ${chain(data.chain)}. It is credited once confirmed, if it reaches the minimum deposit.`,
  "deposit.credited": (data) => `${money(data.amount)} deposit on ${chain(data.chain)} credited to your balance.`,
  "deposit.reversed": (data) =>
    `The transaction of a ${money(data.amount)} deposit was dropped by ${chain(data.chain)}. If it was credited, we took it out of your balance.`,
  "payment.completed": ({ amount, payer }) => `Payment of ${money(amount)} by ${address(payer)} completed.`,
  "payment.failed": ({ amount, payer, reason }) => `Payment of ${money(amount)} by ${address(payer)} failed: ${whyNotPaid(reason)}.`,
  "withdrawal.requested": ({ amount, destination: to, payFrom }) =>
    `Withdrawal of ${money(amount)} to ${address(to)} requested.${payFrom ? ` It waits until ${time(payFrom, "your waiting time is over")}.` : ""} If this was not you, cancel it on the Withdraw page.`,
  "withdrawal.rules_changed": () =>
    "Your withdrawal rules were changed. Stricter limits apply immediately; looser ones after 24 hours. If this was not you, check them on the Withdraw page.",
  "withdrawal.completed": ({ amount, destination: to }) => `Withdrawal of ${money(amount)} to ${address(to)} paid.`,
  "withdrawal.failed": endOfWithdrawal,
  "key.cap_80": ({ spent, cap, period, ...data }) =>
    `Key ${key(data)} has spent ${money(spent)} of its spending limit of ${money(cap)} ${per(period)}.`,
  "key.cap_reached": ({ needed, used, cap, period, ...data }) =>
    `A request with key ${key(data)} was refused because it could cost ${money(needed)}, and ${money(used)} of the key’s spending limit of ${money(cap)} ${per(period)} is used.`,
  "key.spike": ({ spent, usual, paused, ...data }) =>
    `Key ${key(data)} spent ${money(spent)} in the last 60 minutes.${usually(usual)}${paused === "yes" ? " It was paused." : ""}`,
  "key.created": (data) => `Key ${key(data)} was created.`,
  "key.paused": (data) => `Key ${key(data)} was paused. Its requests are refused until you resume it.`,
  "key.revoked": (data) => `Key ${key(data)} was revoked.`,
  "endpoint.changed": ({ kind, host, change }) =>
    `The ${destination(kind)} at ${host} ${changed(change)}. If this was not you, sign out everywhere on the Settings page.`,
  "endpoint.disabled": ({ kind, host, reason }) => `The ${destination(kind)} at ${host} was turned off: ${whyOff(reason)}.`,
  "model.retiring": ({ model, retiresOn, successor }) =>
    `${model} will be retired on ${day(retiresOn)}.${successor ? ` Use ${successor} instead.` : ""}`,
  "price.changed": ({ model, changes }) =>
    `The price of ${model} per million tokens changed: ${Array.isArray(changes) ? changes.map(priceChange).join("; ") : "see the models page"}.`,
  "wallet.linked": (data) => `Wallet ${address(data.address)} was linked and can now sign in.`,
  "wallet.leaving": (data) =>
    `Wallet ${address(data.address)} will be unlinked on ${time(data.leavesAt, "the next day")}. If this was not you, choose Keep on the Settings page.`,
  "wallet.unlinked": (data) => `Wallet ${address(data.address)} was unlinked.`,
};

/** One sentence, or a few; for a type that a newer release wrote, its name. */
export const sentenceOf = ({ type, data }: { type: string; data: Data }): string =>
  isEventType(type) ? sentences[type](data) : `Event ${type}.`;
