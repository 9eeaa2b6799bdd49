// Signing in with a wallet in the browser, and signing out.

import type { Page } from "@playwright/test";
import { arriveAt, untilButtonsAnswer } from "./browser";

const choices = { evm: "Ethereum wallet", solana: "Solana wallet" };

/** Opens the wallet list of this kind, and chooses a wallet by its name. */
export async function chooseWallet(page: Page, chain: "evm" | "solana", name: string): Promise<void> {
  await untilButtonsAnswer(page);
  await page.getByRole("button", { name: choices[chain] }).click();
  await chooseFromList(page, name);
}

/** Chooses a wallet in an open list. */
export const chooseFromList = (page: Page, name: string): Promise<void> => page.getByRole("dialog").getByRole("button", { name }).click();

export async function openAccountMenu(page: Page): Promise<void> {
  await untilButtonsAnswer(page);
  await page.getByRole("button", { name: /^Account / }).click();
  await page.getByRole("menu").waitFor();
}

export async function signOut(page: Page): Promise<void> {
  await openAccountMenu(page);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await arriveAt(page, /\/connect/);
}
