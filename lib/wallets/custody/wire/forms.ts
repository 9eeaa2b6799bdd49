// The form of every order to the signer and of its answer, in both directions: whole numbers are decimal text, bytes are base64 or hex, times
// are ISO texts. Whatever has another form, or a field more, is refused before anything looks at it.

import type { Hex } from "viem";
import { z } from "zod";
import { chainIds } from "@/lib/base/chains";
import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";

const hex = (pattern: RegExp) => z.custom<Hex>((value) => typeof value === "string" && pattern.test(value));
const address = hex(/^0x[0-9a-fA-F]{40}$/);
const bytes32 = hex(/^0x[0-9a-fA-F]{64}$/);
/** More than a transaction of Base may carry is cut off by the limit of a frame. */
const hexBytes = hex(/^0x([0-9a-fA-F]{2})*$/);
const base58 = (from: number, to: number) => z.string().regex(new RegExp(`^[1-9A-HJ-NP-Za-km-z]{${from},${to}}$`));
const solanaAddress = base58(32, 44);
const solanaSignature = base58(64, 88);
const index = z.int().min(0).max(0x7fff_ffff);
const height = z.int().min(0);

/** Below 2²⁵⁶. */
const whole = z.codec(z.string().regex(/^(0|[1-9]\d{0,77})$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => value.toString(),
});

/** Whole units are checked by the signer; a negative amount or one past 64 bits is no order. */
const amount = z.codec(z.string().regex(/^-?(0|[1-9]\d{0,18})$/), z.custom<NanoUsd>(), {
  decode: (text) => nanoUsd(BigInt(text)),
  encode: (value) => value.toString(),
});

const binary = z.codec(z.base64().max(16_384), z.instanceof(Buffer), {
  decode: (text) => Buffer.from(text, "base64"),
  encode: (bytes) => bytes.toString("base64"),
});

const time = z.codec(z.iso.datetime({ precision: 3 }), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString() as `${string}Z`,
});

const accountId = z.custom<AccountId>((value) => typeof value === "string" && /^acc_[0-9A-Za-z]{20}$/.test(value));

/** A contract wallet's signature may include its deployment. */
const MAX_SIGNATURE_CHARACTERS = 65_536;

const signedOrder = z.strictObject({
  accountId,
  chain: z.enum(chainIds),
  destination: z.string().max(64),
  amount,
  fee: amount,
  opensAccount: z.boolean(),
  nonce: z.string().regex(/^[0-9A-Za-z]{22}$/),
  issuedAt: time,
  validUntil: time,
  signer: z.strictObject({ chain: z.enum(["evm", "solana"]), address: z.string().max(64) }),
  signature: z.string().max(MAX_SIGNATURE_CHARACTERS),
  operatorSignature: z.string().max(256).nullable(),
});

const authorization = z.strictObject({
  from: address,
  to: address,
  value: whole,
  validAfter: whole,
  validBefore: whole,
  nonce: bytes32,
});

const callCost = z.strictObject({ nonce: z.int().min(0), gas: whole, maxFeePerGas: whole });

const transaction = callCost.extend({
  chainId: z.int().min(1),
  to: address,
  data: hexBytes,
  maxPriorityFeePerGas: whole,
  value: whole.optional(),
});

const authorized = z.strictObject({ authorization, signature: hexBytes });
const signedBytes = z.strictObject({ bytes: binary, signature: solanaSignature });
const xpub = z.string().regex(/^xpub[1-9A-HJ-NP-Za-km-z]{107}$/);

/** Who the signer is: the public half of its seed, and what its texts are written with. */
const identity = z.strictObject({
  fingerprint: z.string().regex(/^[0-9a-f]{8}$/),
  xpub,
  usdcMint: solanaAddress,
  treasury: z.strictObject({ base: address, solana: solanaAddress }),
  relayer: address,
  sponsor: solanaAddress,
  serviceName: z.string().max(31),
  chainId: z.int().min(1),
});

export type Identity = z.output<typeof identity>;

/** Everything that may be asked of a signer. */
export const operations = {
  identify: { order: z.strictObject({}), answer: identity },
  deriveAddresses: {
    order: z.strictObject({ index }),
    answer: z.strictObject({ index, baseAddress: address, solanaAddress, solanaTokenAccount: solanaAddress, attestation: binary }),
  },
  signSweepOnBase: {
    order: z.strictObject({ index, value: whole, validAfter: whole, validBefore: whole, nonce: bytes32 }),
    answer: authorized,
  },
  signSweepOnSolana: {
    order: z.strictObject({
      owners: z.array(z.strictObject({ index, units: whole })).max(16),
      blockhash: solanaAddress,
    }),
    answer: signedBytes,
  },
  signTreasuryAccountOnSolana: { order: z.strictObject({ blockhash: solanaAddress }), answer: signedBytes },
  checkPayout: { order: signedOrder, answer: z.strictObject({}) },
  signPayoutOnBase: { order: signedOrder.extend({ cost: callCost }), answer: authorized },
  signPayoutOnSolana: { order: signedOrder, answer: signedBytes.extend({ lastValidBlockHeight: height, slot: height }) },
  signForRelayer: {
    order: transaction,
    answer: z.strictObject({ r: bytes32, s: bytes32, yParity: z.int().min(0).max(1) }),
  },
  signPaymentOnSolana: { order: z.strictObject({ bytes: binary }), answer: signedBytes },
} as const;

export type Operation = keyof typeof operations;
export type OrderOf<K extends Operation> = z.output<(typeof operations)[K]["order"]>;
export type AnswerOf<K extends Operation> = z.output<(typeof operations)[K]["answer"]>;

const id = z.int().min(1);

/** An order's envelope. `order` is read by its operation's own form. */
export const requestForm = z.strictObject({
  id,
  operation: z.enum(Object.keys(operations) as [Operation, ...Operation[]]),
  order: z.unknown(),
});

export const refusals = [
  "signature",
  "unavailable",
  "expired",
  "nonce",
  "limit",
  "paid",
  "order",
  "approval",
  "clock",
  "journal",
  "fees",
] as const;

const message = z.string().max(2_000);

/** Why nothing was signed. */
const problem = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("payout_refused"), refusal: z.enum(refusals), message }),
  /** It is none of the things that this key signs. */
  z.strictObject({ kind: z.literal("refused"), message }),
  /** No Solana node answered the signer. */
  z.strictObject({ kind: z.literal("nodes"), message }),
  /** It can be signed later. */
  z.strictObject({ kind: z.literal("not_now"), message }),
  z.strictObject({ kind: z.literal("failed"), message }),
]);

export type Problem = z.output<typeof problem>;

/** `id` is null when the order had none that could be read. */
export const replyForm = z.union([z.strictObject({ id, answer: z.unknown() }), z.strictObject({ id: id.nullable(), problem })]);
