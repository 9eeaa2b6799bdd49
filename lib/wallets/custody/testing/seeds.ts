// Well-known seeds with published addresses, and custody for tests.

import { onTestFinished, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { openSigner } from "../seed-signer";
import type { Signer } from "../signer";
import { startCustody } from "../start-custody";

/** Hardhat's and anvil's mnemonic. */
export const hardhatWords = `${"test ".repeat(11)}junk`;
/** From BIP-39's test vectors. */
export const abandonWords = `${"abandon ".repeat(11)}about`;

/** Opens a seed in this process, with its first addresses in the test's database. Neither is reset automatically. */
export async function startTestCustody(words = hardhatWords): Promise<Signer> {
  const signer = await openSigner(words, "sandbox");
  await startCustody(signer);
  return signer;
}

/** Sets settings as environment variables for one test. */
export function withSettings(settings: Record<string, string>): void {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  forgetSingleton("config");
  onTestFinished(() => {
    vi.unstubAllEnvs();
    forgetSingleton("config");
  });
}
