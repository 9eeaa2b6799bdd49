"use server";

// The sandbox's demo wallet signs here on the server, where its keys are; live mode has none.

import { z } from "zod";
import { demoTransferForm, payWithDemoWallet, signWithDemoWallet } from "@/lib/console/demo-wallets";
import { findOwner } from "@/lib/console/request-owner";

const textSchema = z.tuple([z.enum(["evm", "solana"]), z.string().min(1).max(4_000)]);
const transferSchema = z.tuple([z.enum(["evm", "solana"]), demoTransferForm]);

/**
 * The signature of a text of ours, or the result of a transfer to the signed-in owner's deposit address (see `PayDemo`); null for any
 * other input, and where there is no demo wallet.
 */
export async function signDemo(...input: unknown[]): Promise<string | null> {
  const text = textSchema.safeParse(input);
  if (text.success) return signWithDemoWallet(...text.data);
  const transfer = transferSchema.safeParse(input);
  if (!transfer.success || transfer.data[0] !== transfer.data[1].chain) return null;
  const owner = await findOwner();
  return owner && payWithDemoWallet(owner, transfer.data[1]);
}
