// Seeds that everybody knows, whose addresses are published, and a process's custody for a test.

import { onTestFinished } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { openSigner } from "../seed-signer";
import type { Signer } from "../signer";
import { startCustody } from "../start-custody";

/** Of Hardhat and anvil. */
export const hardhatWords = `${"test ".repeat(11)}junk`;
/** Of BIP-39's own vectors. */
export const abandonWords = `${"abandon ".repeat(11)}about`;

/** Opens a seed in this process, its first addresses in the test's database. Pool and process forget nothing by themselves. */
export async function startTestCustody(words = hardhatWords): Promise<Signer> {
  const signer = await openSigner(words, "sandbox");
  await startCustody(signer);
  return signer;
}

/** Sets environment variables for the settings of one test. */
export function withSettings(settings: Record<string, string>): void {
  const before = { ...process.env };
  Object.assign(process.env, settings);
  forgetSingleton("config");
  onTestFinished(() => {
    process.env = before;
    forgetSingleton("config");
  });
}
