// The playground's chat, as its tests use it.

import type { Page, Request } from "@playwright/test";
import { expect, open } from "./browser";
import { demoWallet, signIn } from "./sign-in";

export const promptField = (page: Page) => page.getByLabel("Prompt", { exact: true });
export const runButton = (page: Page) => page.getByRole("button", { name: "Run", exact: true });
export const stopButton = (page: Page) => page.getByRole("button", { name: "Stop", exact: true });
export const turns = (page: Page) => page.getByRole("article", { name: "Turn" });
/** The charge of the newest turn: those of older ones are folded. */
export const charged = (page: Page) => page.getByRole("row", { name: /^Charged/ }).getByRole("cell");

interface SentBody {
  messages: { role: string; content: unknown }[];
}

/** The bodies of the runs that the page starts from now on. */
export function watchRuns(page: Page): SentBody[] {
  const bodies: SentBody[] = [];
  page.on("request", (request: Request) => {
    if (request.url().endsWith("/playground/answer")) bodies.push(request.postDataJSON());
  });
  return bodies;
}

/** Sends a message, and awaits its charge. */
export async function say(page: Page, text: string): Promise<void> {
  const before = await turns(page).count();
  await promptField(page).fill(text);
  await runButton(page).click();
  await expect(turns(page)).toHaveCount(before + 1);
  await expect(charged(page)).toBeVisible();
}

/** The demo account's playground. */
export async function openChat(page: Page, model = "gpt-4o-mini"): Promise<void> {
  await signIn(page.context(), demoWallet());
  await open(page, `/playground?model=${model}`);
}
