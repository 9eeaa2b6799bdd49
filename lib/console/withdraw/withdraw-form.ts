// The withdrawal form, and the signed order that the page sends.

import { z } from "zod";
import { chainIds } from "@/lib/base/chains";
import type { WithdrawalId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { readUsdText } from "@/lib/base/typed/amount-text";
import { walletChains } from "@/lib/chains/wallet";
import { textField } from "../answer";

const UNIT = 1_000n;

/**
 * Reads the amount that should arrive: `5`, `12.5`, at most six decimals, as USDC has.
 * @throws RangeError that says how to write it
 */
function readUsdcText(text: string): NanoUsd {
  const amount = readUsdText(text);
  if (amount % UNIT !== 0n) throw new RangeError("Use at most 6 decimal places.");
  return amount;
}

const chain = z.enum(chainIds);

/** The chain, the owner's destination wallet, and the amount that should arrive. */
export const withdrawalForm = z.strictObject({
  chain,
  destination: z.string("Choose a wallet.").min(1, "Choose a wallet.").max(100, "This is not a valid address. Choose one of your wallets."),
  amount: textField(readUsdcText),
});

const MAX_SIGNATURE_CHARACTERS = 40_000;
const mostNano = 9_223_372_036_854_775_807n;
const money = z
  .bigint()
  .min(0n)
  .max(mostNano)
  .transform((value) => nanoUsd(value));

/** A drafted order, returned with its signature. Every field is checked against the signed order, and against the current state. */
export const signedOrderForm = z.strictObject({
  chain,
  destination: z.string().min(1).max(100),
  amount: money,
  fee: money,
  opensAccount: z.boolean(),
  nonce: z.string().regex(/^[0-9A-Za-z]{22}$/),
  issuedAt: z.date(),
  signer: z.strictObject({ chain: z.enum(walletChains), address: z.string().min(1).max(64) }),
  signature: z.string().min(1).max(MAX_SIGNATURE_CHARACTERS),
});

export type SignedOrderForm = z.output<typeof signedOrderForm>;

const unknown = "This withdrawal no longer exists. Reload the page.";
export const withdrawalChoiceForm = z.strictObject({
  id: z
    .string(unknown)
    .regex(/^wd_[0-9A-Za-z]{20}$/, unknown)
    .transform((text) => text as WithdrawalId),
});
