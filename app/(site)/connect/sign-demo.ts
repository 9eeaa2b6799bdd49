"use server";

// The sandbox's demo wallet signs here, where its keys are; in live mode there is none.

import { z } from "zod";
import { signWithDemoWallet } from "@/lib/console/demo-wallets";

const inputSchema = z.tuple([z.enum(["evm", "solana"]), z.string().min(1).max(4_000)]);

/** The signature of a text of ours; null for whatever else anybody sends, and where there is no demo wallet. */
export async function signDemo(...input: unknown[]): Promise<string | null> {
  const read = inputSchema.safeParse(input);
  return read.success ? signWithDemoWallet(...read.data) : null;
}
