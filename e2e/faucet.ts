// Test USDC on the sandbox's own chains, for tests that need money.

import type { Page } from "@playwright/test";
import { baseUrl, expect, open, untilButtonsAnswer } from "./browser";

/** The chains start some seconds after the service answers; the first deposit takes a few more. */
const CHAINS_START_MS = 60_000;
export const CREDITED_MS = 60_000;

/** Resolves when the sandbox's own chains accept transactions. */
export async function untilChainsRun(): Promise<void> {
  const chainsRun = async () => ((await (await fetch(`${baseUrl()}/api/ready`)).json()) as { checks: { chains: boolean } }).checks.chains;
  await expect.poll(chainsRun, { timeout: CHAINS_START_MS }).toBe(true);
}

/** Presses the faucet's button on the deposit page, with that chain's tab open. */
export async function pressFaucet(page: Page, chain: "Base" | "Solana" = "Base"): Promise<void> {
  await untilButtonsAnswer(page);
  await page.getByRole("button", { name: `Send me 5 test USDC on ${chain}` }).click();
  await expect(page.getByText(`5 test USDC is on its way on ${chain}.`)).toBeVisible();
}

/** Requests 5 USD for the signed-in owner, and resolves once they are in the balance. */
export async function fundByFaucet(page: Page): Promise<void> {
  await untilChainsRun();
  await open(page, "/deposit");
  await pressFaucet(page);
  await expect(page.getByRole("main").getByText("credited", { exact: true })).toBeVisible({ timeout: CREDITED_MS });
}
