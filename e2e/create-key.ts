// Creates an API key through the page, for tests about something else.

import type { Page } from "@playwright/test";
import { open } from "./browser";

/** Resolves with the new key of the signed-in owner; it is shown only this once. Several fit without a signature if `usd` is small. */
export async function createKey(page: Page, name: string, usd?: string): Promise<string> {
  await open(page, "/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  if (usd !== undefined) await dialog.getByLabel("Amount in USD", { exact: true }).fill(usd);
  await dialog.getByRole("button", { name: "Create key" }).click();
  return (await dialog.getByRole("region", { name: "The new key" }).locator("code").textContent()) ?? "";
}
