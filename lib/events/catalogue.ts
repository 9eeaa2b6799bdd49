// The types of events, what each one says, and an example. The rows are written in SQL, in the commit that makes them true; this list says
// how they are read, shown, documented and sent.

import { z } from "zod";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { type KindName, kindNames } from "@/lib/providers/prices";

/** Amounts are stored as texts in nano-USD. */
export interface EventField {
  kind: "usd" | "text" | "time" | "date" | "count" | "prices";
  description: string;
  isOptional?: true;
}

export interface EventType {
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

const storedAmount = z.string().transform((text) => nanoUsd(BigInt(text)));

const storedPrices = z.array(
  z.object({
    kind: z.enum(Object.values(kindNames)),
    before: storedAmount,
    after: storedAmount,
    fromInputTokens: z.int().optional(),
  }),
);

const usd = (description: string): EventField => ({ kind: "usd", description });
const text = (description: string): EventField => ({ kind: "text", description });
const time = (description: string): EventField => ({ kind: "time", description });
const optional = (field: EventField): EventField => ({ ...field, isOptional: true });

const keyId = text("The key's ID.");
const period = text("What the cap counts: hour, day, week, month or total.");

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
    reason: optional(text("Why it failed.")),
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
    reason: optional(text("Why it was not paid; the money is back in the balance.")),
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
    when: "The account was closed. Sign in with one of its wallets to open it again; what names you is erased after seven days.",
    fields: {},
    example: {},
  },
  "balance.low": {
    when: "The balance fell below your threshold. Sent again only after the balance was a tenth above it.",
    fields: { balance: usd("The balance, including what is reserved."), threshold: usd("Your threshold.") },
    example: { balance: "4980000000", threshold: "5000000000" },
  },
  "balance.exhausted": {
    when: "A request was refused because the balance does not cover it. Sent once until money comes in.",
    fields: { available: usd("What was available."), needed: usd("The most that the request could cost.") },
    example: { available: "1200000", needed: "4500000" },
  },
  "deposit.seen": { ...deposit, when: "A deposit is on its chain. It is credited once its block is safe." },
  "deposit.credited": { ...deposit, when: "A deposit is part of the balance." },
  "deposit.reversed": { ...deposit, when: "The chain dropped a deposit's transaction. If it was credited, it was taken back." },
  "payment.completed": {
    ...payment,
    when: "A signed payment of one of your wallets, or with one of your keys, is on its chain.",
    example: { ...payment.example, transaction: exampleTransaction },
  },
  "payment.failed": {
    ...payment,
    when: "A signed payment moved no money, or its chain dropped it.",
    example: { ...payment.example, reason: "expired" },
  },
  "withdrawal.requested": {
    when: "A withdrawal was ordered and signed by one of your wallets. Cancel it if you did not order it.",
    fields: {
      withdrawalId: withdrawal.fields.withdrawalId,
      chain: withdrawal.fields.chain,
      amount: withdrawal.fields.amount,
      fee: withdrawal.fields.fee,
      destination: withdrawal.fields.destination,
      payFrom: optional(time("When the waiting time of your own rules is over.")),
    },
    example: { ...withdrawal.example, payFrom: "2026-03-02T09:30:00.000Z" },
  },
  "withdrawal.rules_changed": {
    when: "Your own rules for withdrawals were changed. What is stricter holds at once, what is looser after 24 hours.",
    fields: {
      dailyLimit: optional(usd("The most that may leave in 24 hours; absent: no limit of your own.")),
      waitSeconds: { kind: "count", description: "How long each withdrawal waits before it is paid, in seconds." },
      destinations: optional(text("The wallets that may be paid, as chain:address, separated by spaces; absent: every linked wallet.")),
    },
    example: { dailyLimit: "50000000000", waitSeconds: 86_400, destinations: `evm:${exampleAddress}` },
  },
  "withdrawal.completed": {
    ...withdrawal,
    when: "A withdrawal is paid, in a block that is final.",
    example: { ...withdrawal.example, transaction: exampleTransaction },
  },
  "withdrawal.failed": {
    ...withdrawal,
    when: "A withdrawal was cancelled, refused or not possible. Its money is back in the balance.",
    example: { ...withdrawal.example, reason: "cancelled" },
  },
  "key.cap_80": {
    when: "A key has spent four fifths of its cap. Sent once a period.",
    fields: { keyId, cap: usd("The key's cap."), spent: usd("Spent in this period."), period },
    example: { keyId: exampleKey, cap: "10000000000", spent: "8010000000", period: "day" },
  },
  "key.cap_reached": {
    when: "A request was refused because of its key's cap. Sent once a period.",
    fields: {
      keyId,
      cap: usd("The key's cap."),
      used: usd("Spent and reserved in this period."),
      period,
      needed: usd("The most that the request could cost."),
      resetsAt: optional(time("When the next period begins; absent for a cap on everything.")),
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
    when: "A key spent far more within an hour than it usually does.",
    fields: {
      keyId,
      spent: usd("Spent in the last 60 minutes."),
      usual: usd("What it usually spends in this hour of the week; its account, if the key is new."),
      underWay: usd("The most that its running requests can still cost."),
      paused: text("yes if the key was paused, as its owner asked; no otherwise."),
    },
    example: { keyId: exampleKey, spent: "4100000000", usual: "200000000", underWay: "45000000", paused: "no" },
  },
  "key.created": { ...key, when: "A key was created.", example: keyExample },
  "key.paused": { ...key, when: "A key was paused. Its requests are refused until it is resumed.", example: keyExample },
  "key.revoked": { ...key, when: "A key was revoked, for good.", example: keyExample },
  "endpoint.changed": {
    when: "An endpoint was added, changed or deleted. The endpoint itself gets it whatever it wants, a last time when it was switched off or deleted.",
    fields: {
      endpointId: text("The endpoint's ID."),
      kind: text("webhook, chat or email."),
      host: text("Where it is."),
      change: text(
        "added, switched_on, switched_off or deleted; events: it gets other events than before; secret: it got a new secret, and for 24 hours both sign.",
      ),
    },
    example: { endpointId: "end_0WAqXk3eB1c2D3e4F5g6", kind: "webhook", host: "hooks.example.com", change: "switched_off" },
  },
  "endpoint.disabled": {
    when: "An endpoint was switched off: it answered 410, five days of attempts failed, or its reader unsubscribed. Your other endpoints are told.",
    fields: {
      endpointId: text("The endpoint's ID."),
      kind: text("webhook, chat or email."),
      host: text("Where it is."),
      reason: text(
        "gone: it answered 410. failing: every attempt of five days failed. unsubscribed: the reader of an e-mail wants no more.",
      ),
      failingSince: optional(time("When the first of its failures in a row was.")),
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
    when: "A model that you used in the last 30 days retires. Sent once its date is known, and again seven days before.",
    fields: {
      model: text("The model's ID."),
      retiresOn: { kind: "date", description: "The first day without it, UTC. From then on it is refused." },
      successor: optional(text("The model to use instead.")),
    },
    example: { model: "gpt-4o", retiresOn: "2027-01-14", successor: "gpt-6-luna" },
  },
  "price.changed": {
    when: "A price of a model changed that you used in the last 30 days. Sent about ten minutes after.",
    fields: { model: text("The model's ID."), changes: { kind: "prices", description: "Each price that changed." } },
    example: {
      model: "gemini-3.5-flash",
      changes: [
        { kind: "input", before: "1575000000", after: "1260000000" },
        { kind: "output", before: "9450000000", after: "7560000000" },
      ],
    },
  },
  "wallet.linked": { ...wallet, when: "A wallet was linked. It can sign in, and withdrawals can be paid to it." },
  "wallet.leaving": {
    when: "A wallet is going to be unlinked: one of your other wallets asked for it. If it was not you, keep it under Settings.",
    fields: { ...wallet.fields, leavesAt: time("When it is unlinked. Until then it signs nothing for the account.") },
    example: { ...wallet.example, leavesAt: "2026-11-25T09:30:00+00:00" },
  },
  "wallet.unlinked": { ...wallet, when: "A wallet was unlinked." },
} satisfies Record<string, EventType>;

export type EventTypeName = keyof typeof types;

export const eventTypes: Readonly<Record<EventTypeName, EventType>> = types;

export const isEventType = (name: string): name is EventTypeName => Object.hasOwn(eventTypes, name);

export type EventValue = string | number | NanoUsd | Date | readonly PriceChange[];

/** Stored data as it is shown: amounts as nano-USD, times as dates. Fields of a type that a newer release wrote stay texts. */
export function readEventData(type: string, stored: Readonly<Record<string, unknown>>): Record<string, EventValue> {
  const fields = isEventType(type) ? eventTypes[type].fields : {};
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, readValue(fields[name]?.kind, value)]));
}

function readValue(kind: EventField["kind"] | undefined, value: unknown): EventValue {
  if (kind === "usd") return nanoUsd(BigInt(String(value)));
  if (kind === "time") return new Date(String(value));
  if (kind === "prices") return storedPrices.parse(value);
  return kind === "count" ? Number(value) : String(value);
}
