"use server";

// The sandbox's demo wallet signs here, where its keys are; in live mode there is none.

import { z } from "zod";
import { signWithDemoWallet } from "@/lib/console/demo-wallets";

const inputSchema = z.tuple([z.enum(["evm", "solana"]), z.string().min(1).max(4_000)]);

export async function signDemo(...input: [chain: "evm" | "solana", text: string]): Promise<string> {
  const signature = await signWithDemoWallet(...inputSchema.parse(input));
  if (signature === null) throw new Error("there is no demo wallet here");
  return signature;
}
