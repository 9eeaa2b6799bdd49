// The types of events, what each one says, and an example. The rows are written in SQL, in the commit that makes them true; this list says
// how they are read, shown, documented and sent.

import type { NanoUsd } from "@/lib/base/money";
import type { KindName } from "@/lib/base/tokens/token-kinds";
import { paymentFailures } from "@/lib/chains/payment-failure";

/** Amounts are stored as texts in nano-USD. */
export interface EventField {
  kind: "usd" | "text" | "time" | "date" | "count" | "prices";
  description: string;
  isOptional?: true;
}

export interface EventType {
  /** Its plain name: "Deposit credited". */
  title: string;
  /** When it is sent: one sentence for the documentation and the console. */
  when: string;
  fields: Readonly<Record<string, EventField>>;
  /** Well-formed data as it is stored. */
  example: Readonly<Record<string, string | number | readonly StoredPriceChange[]>>;
}

/** A price that changed, of a million tokens of a kind. */
export type PriceChange = {
  kind: KindName;
  before: NanoUsd;
  after: NanoUsd;
  /** The price applies from that much input on; absent: from the first token. */
  fromInputTokens?: number | undefined;
};

/** The same with amounts as texts. */
export type StoredPriceChange = Omit<PriceChange, "before" | "after"> & { before: string; after: string };

const usd = (description: string): EventField => ({ kind: "usd", description });
const text = (description: string): EventField => ({ kind: "text", description });
const time = (description: string): EventField => ({ kind: "time", description });
const optional = (field: EventField): EventField => ({ ...field, isOptional: true });

const keyId = text("The key's ID.");
const period = text("The period of the spending limit: hour, day, week, month or total.");
const exampleKey = "key_0WAqXk3eB1c2D3e4F5g6";
const exampleAddress = "0x52908400098527886E0F7030069857D2E4169EE7";
const exampleTransaction = "0x9f0c1d2e3b4a59687786a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";

const key = { fields: { keyId, name: text("The key's name."), last4: text("Its last four characters.") } };
const keyExample = { keyId: exampleKey, name: "research agent", last4: "x7Qz" };

const deposit = {
  fields: {
    depositId: text("The deposit's ID."),
    chain: text("base or solana."),
    amount: usd("Amount of USDC received."),
    address: text("Your deposit address that received it."),
    transaction: text("The transaction's hash on Base, its signature on Solana."),
  },
  example: {
    depositId: `base_${exampleTransaction}_17_5000000`,
    chain: "base",
    amount: "5000000000",
    address: exampleAddress,
    transaction: exampleTransaction,
  },
};

const payment = {
  fields: {
    paymentId: text("The payment's ID."),
    network: text("The chain, as a CAIP-2 name."),
    payer: text("The wallet that signed it."),
    amount: usd("Amount of USDC."),
    transaction: optional(text("The transaction that moved it.")),
    reason: optional(text(`Why it failed: ${Object.keys(paymentFailures).join(", ")}, or reversed (its chain dropped it).`)),
  },
  example: { paymentId: "pay_0WAqXk3eB1c2D3e4F5g6", network: "eip155:8453", payer: exampleAddress, amount: "10000000" },
};

const withdrawal = {
  fields: {
    withdrawalId: text("The withdrawal's ID."),
    chain: text("base or solana."),
    amount: usd("Amount that the destination receives."),
    fee: usd("Fee charged on top of it."),
    destination: text("The wallet that it is paid to."),
    transaction: optional(text("The transaction that paid it.")),
    reason: optional(text("Why it was not paid: cancelled, or a sentence.")),
  },
  example: {
    withdrawalId: "wd_0WAqXk3eB1c2D3e4F5g6",
    chain: "base",
    amount: "20000000000",
    fee: "50000000",
    destination: exampleAddress,
  },
};

const wallet = {
  fields: { chain: text("evm or solana."), address: text("The wallet's address.") },
  example: { chain: "evm", address: exampleAddress },
};

const types = {
  "account.closed": {
    title: "Account closed",
    when: "The account was closed. To reopen it, sign in with one of its wallets. Personal data is deleted after seven days.",
    fields: {},
    example: {},
  },
  "balance.low": {
    title: "Low balance",
    when: "The balance fell below your threshold. Sent again only after the balance has risen 10% above it.",
    fields: { balance: usd("The balance, including reserved funds."), threshold: usd("Your threshold.") },
    example: { balance: "4980000000", threshold: "5000000000" },
  },
  "balance.exhausted": {
    title: "Balance too low for a request",
    when: "A request was refused because the balance does not cover it. Sent again only after the balance has gone up.",
    fields: { available: usd("The available balance."), needed: usd("The maximum cost of the request.") },
    example: { available: "1200000", needed: "4500000" },
  },
  "deposit.seen": {
    ...deposit,
    title: "Deposit seen",
    when: "A deposit was seen on its chain. It is credited once confirmed, if it reaches the minimum deposit.",
  },
  "deposit.credited": { ...deposit, title: "Deposit credited", when: "A deposit was added to the balance." },
  "deposit.reversed": {
    ...deposit,
    title: "Deposit reversed",
    when: "The chain dropped a deposit's transaction. If it was credited, it was taken out of the balance.",
  },
  "payment.completed": {
    ...payment,
    title: "Payment completed",
    when: "A signed payment by one of your wallets, or with one of your keys, was confirmed on its chain.",
    example: { ...payment.example, transaction: exampleTransaction },
  },
  "payment.failed": {
    ...payment,
    title: "Payment failed",
    when: "A signed payment failed, or its chain dropped it after it was credited. No USDC left the wallet.",
    example: { ...payment.example, reason: "expired" },
  },
  "withdrawal.requested": {
    title: "Withdrawal requested",
    when: "A withdrawal was requested and signed by one of your wallets. Cancel it if it was not you.",
    fields: {
      withdrawalId: withdrawal.fields.withdrawalId,
      chain: withdrawal.fields.chain,
      amount: withdrawal.fields.amount,
      fee: withdrawal.fields.fee,
      destination: withdrawal.fields.destination,
      payFrom: optional(time("When the waiting time that you set ends.")),
    },
    example: { ...withdrawal.example, payFrom: "2026-03-02T09:30:00.000Z" },
  },
  "withdrawal.rules_changed": {
    title: "Withdrawal rules changed",
    when: "Your withdrawal rules were changed. Stricter limits apply immediately; looser ones after 24 hours.",
    fields: {
      dailyLimit: optional(usd("The maximum you can withdraw in 24 hours. Absent if you set no limit.")),
      waitSeconds: { kind: "count", description: "How long each withdrawal waits before it is paid, in seconds." },
      destinations: optional(
        text("The wallets that withdrawals can go to, as chain:address, separated by spaces. Absent if they can go to any linked wallet."),
      ),
    },
    example: { dailyLimit: "50000000000", waitSeconds: 86_400, destinations: `evm:${exampleAddress}` },
  },
  "withdrawal.completed": {
    ...withdrawal,
    title: "Withdrawal completed",
    when: "A withdrawal was paid and its block is final.",
    example: { ...withdrawal.example, transaction: exampleTransaction },
  },
  "withdrawal.failed": {
    ...withdrawal,
    title: "Withdrawal failed",
    when: "A withdrawal was cancelled, refused or could not be paid. Its amount and fee are back in the balance.",
    example: { ...withdrawal.example, reason: "cancelled" },
  },
  "key.cap_80": {
    title: "Key at 80% of its limit",
    when: "A key has spent 80% of its spending limit. Sent once per period.",
    fields: { keyId, cap: usd("The key's spending limit."), spent: usd("Spent in this period."), period },
    example: { keyId: exampleKey, cap: "10000000000", spent: "8010000000", period: "day" },
  },
  "key.cap_reached": {
    title: "Key limit reached",
    when: "A request was refused because of its key's spending limit. Sent once per period.",
    fields: {
      keyId,
      cap: usd("The key's spending limit."),
      used: usd("Spent in this period, including reserved funds."),
      period,
      needed: usd("The maximum cost of the request."),
      resetsAt: optional(time("When the next period begins. Absent for a total limit.")),
    },
    example: {
      keyId: exampleKey,
      cap: "10000000000",
      used: "9990000000",
      needed: "45000000",
      period: "day",
      resetsAt: "2026-11-24T00:00:00+00:00",
    },
  },
  "key.spike": {
    title: "Unusual key spending",
    when: "A key spent far more in 60 minutes than it usually does in this hour of the week; in a new account, more than $10.",
    fields: {
      keyId,
      spent: usd("Spent in the last 60 minutes."),
      usual: usd("What it usually spends in this hour of the week, or what the account spends if the key is new; 0 if the account is new."),
      underWay: usd("The maximum cost of its running requests."),
      paused: text("yes if the key was paused, which its owner can choose; otherwise no."),
    },
    example: { keyId: exampleKey, spent: "4100000000", usual: "200000000", underWay: "45000000", paused: "no" },
  },
  "key.created": { ...key, title: "Key created", when: "A key was created.", example: keyExample },
  "key.paused": {
    ...key,
    title: "Key paused",
    when: "A key was paused, by you or by its spending alert. Its requests are refused until you resume it.",
    example: keyExample,
  },
  "key.revoked": { ...key, title: "Key revoked", when: "A key was permanently revoked.", example: keyExample },
  "endpoint.changed": {
    title: "Destination changed",
    when: "A destination was turned on, turned off or deleted, got other events or a new secret, or was added (except your first). The destination itself is notified too, whichever events it receives.",
    fields: {
      endpointId: text("The destination's ID."),
      kind: text("webhook, chat or email."),
      host: text("Its host."),
      change: text(
        "added, switched_on, switched_off or deleted; events: it receives different events; secret: it got a new secret, and both secrets sign for 24 hours.",
      ),
    },
    example: { endpointId: "end_0WAqXk3eB1c2D3e4F5g6", kind: "webhook", host: "hooks.example.com", change: "switched_off" },
  },
  "endpoint.disabled": {
    title: "Destination turned off",
    when: "A destination was turned off because it answered 410, every attempt failed for five days, or its recipient unsubscribed. It is not notified itself.",
    fields: {
      endpointId: text("The destination's ID."),
      kind: text("webhook, chat or email."),
      host: text("Its host."),
      reason: text("gone: it answered 410. failing: every attempt failed for five days. unsubscribed: the recipient unsubscribed."),
      failingSince: optional(time("When it started to fail.")),
    },
    example: {
      endpointId: "end_0WAqXk3eB1c2D3e4F5g6",
      kind: "webhook",
      host: "hooks.example.com",
      reason: "failing",
      failingSince: "2026-11-18T09:30:00.000Z",
    },
  },
  "model.retiring": {
    title: "Model retiring",
    when: "A model that you used in the last 30 days will be retired. Sent when the date is known, and again seven days before.",
    fields: {
      model: text("The model's ID."),
      retiresOn: { kind: "date", description: "The first day (UTC) on which the model is no longer available." },
      successor: optional(text("The model to use instead.")),
    },
    example: { model: "gpt-4o", retiresOn: "2027-01-14", successor: "gpt-6-luna" },
  },
  "price.changed": {
    title: "Price changed",
    when: "The price of a model that you used in the last 30 days changed. Sent about ten minutes later.",
    fields: { model: text("The model's ID."), changes: { kind: "prices", description: "Each price that changed." } },
    example: {
      model: "gemini-3.6-flash",
      changes: [
        { kind: "input", before: "1575000000", after: "1260000000" },
        { kind: "output", before: "9450000000", after: "7560000000" },
      ],
    },
  },
  "wallet.linked": {
    ...wallet,
    title: "Wallet linked",
    when: "A wallet was linked. It can sign in now and receive withdrawals after 24 hours.",
  },
  "wallet.leaving": {
    title: "Wallet being unlinked",
    when: "One of your wallets asked to unlink another. If it was not you, keep the wallet under Settings.",
    fields: { ...wallet.fields, leavesAt: time("When it is unlinked. Until then it cannot sign for the account.") },
    example: { ...wallet.example, leavesAt: "2026-11-25T09:30:00+00:00" },
  },
  "wallet.unlinked": { ...wallet, title: "Wallet unlinked", when: "A wallet was unlinked." },
} satisfies Record<string, EventType>;

export type EventTypeName = keyof typeof types;

export const eventTypes: Readonly<Record<EventTypeName, EventType>> = types;

export const isEventType = (name: string): name is EventTypeName => Object.hasOwn(eventTypes, name);
