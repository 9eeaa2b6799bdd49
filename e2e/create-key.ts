// Making an API key as a person does, for tests whose subject is something else.

import type { Page } from "@playwright/test";
import { open } from "./browser";

/** Resolves with the key of the owner who is signed in; it is shown this once. */
export async function createKey(page: Page, name: string): Promise<string> {
  await open(page, "/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create key" }).click();
  return (await dialog.getByRole("region", { name: "The new key" }).locator("code").textContent()) ?? "";
}
