// What of the playground stays or goes elsewhere: kept conversations, exports, links to a set-up, and code.

import { readFileSync } from "node:fs";
import { newWallet } from "@/lib/console/testing/wallets";
import { expectAccessible } from "./axe";
import { expect, open, reload, test } from "./browser";
import { openChat, promptField, say, turns } from "./chatting";
import { signIn } from "./sign-in";

test("conversations are listed, renamed, opened, exported and deleted, one and all", async ({ page }) => {
  await openChat(page);
  await say(page, "The first conversation");
  await page.getByRole("button", { name: "New chat" }).click();
  await expect(page.getByText("No answer yet")).toBeVisible();
  await say(page, "The second conversation");
  const opens = page.getByRole("button", { name: /^Conversations/ });
  await expect(opens).toHaveText("Conversations (2)");
  await opens.click();
  const list = page.getByRole("dialog", { name: "Conversations" });
  await expectAccessible(page, "/playground, conversations");
  const menuOf = (title: string) => list.getByRole("button", { name: `Actions for ${title}` });

  await menuOf("The second conversation").click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await list.getByLabel("Name").fill("Mine");
  await list.getByRole("button", { name: "Rename" }).click();

  for (const [item, name, content] of [
    ["Export as JSON", "mine.json", /"chargedUsd": "0\.0\d+"/],
    ["Export as Markdown", "mine.md", /^# Mine\n\nCharged: \$0\.0\d+ \(1 receipt\)/],
  ] as const) {
    await menuOf("Mine").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: item }).click()]);
    expect(download.suggestedFilename()).toBe(name);
    expect(readFileSync(await download.path(), "utf8")).toMatch(content);
  }

  await list.getByRole("button", { name: /^The first conversation/ }).click();
  await expect(turns(page)).toContainText("The first conversation");
  await reload(page);
  await expect(turns(page)).toContainText("The first conversation");
  await opens.click();
  await menuOf("The first conversation").click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(menuOf("The first conversation")).toHaveCount(0);
  await list.getByRole("button", { name: "Delete all" }).click();
  await page.getByRole("dialog", { name: "Delete all conversations?" }).getByRole("button", { name: "Delete all" }).click();
  await expect(list.getByText("No conversations yet.")).toBeVisible();
  await reload(page);
  await expect(page.getByText("No answer yet")).toBeVisible();
  await expect(opens).toHaveText("Conversations");
});

test("a link opens the set-up in another browser, and a broken one says so", async ({ page, context, browser, watch }) => {
  await openChat(page, "claude-haiku-4-5");
  await page.getByLabel("System message").fill("Answer in rhymes.");
  await page.getByLabel("Temperature").fill("0.5");
  await promptField(page).fill("A secret message");
  await page.getByRole("button", { name: "Share set-up" }).click();
  const link = (await page.getByTestId("setup-link").textContent()) ?? "";
  await expectAccessible(page, "/playground, share");
  expect(Buffer.from(link.slice(link.indexOf("=") + 1), "base64url").toString()).not.toMatch(/secret|pp_/);

  const elsewhere = await browser.newContext({ baseURL: new URL(page.url()).origin, reducedMotion: "reduce" });
  watch.also(elsewhere);
  await signIn(elsewhere, newWallet("evm"));
  const other = await elsewhere.newPage();
  await open(other, link.replace(/^https?:\/\/[^/]+/, ""));
  await expect(other.getByText(/^This set-up is from the link that you opened\./)).toBeVisible();
  await expect(other.getByLabel("Model")).toHaveValue("claude-haiku-4-5");
  await expect(other.getByLabel("System message")).toHaveValue("Answer in rhymes.");
  await expect(other.getByLabel("Temperature")).toHaveValue("0.5");
  await expect.poll(() => new URL(other.url()).hash).toMatch(/^#linked=\w+$/);
  await elsewhere.close();

  await page.goto("about:blank");
  await open(page, "/playground#setup=AAAA");
  await expect(page.getByRole("alert").filter({ hasText: "This link’s set-up cannot be read." })).toBeVisible();
  await expect(page.getByLabel("System message")).toHaveValue("Answer in rhymes.");
  await expect(context.pages()).toHaveLength(1);
});

test("a link's set-up gets a conversation of its own, and the reader's own draft comes back", async ({ page }) => {
  await openChat(page);
  const system = page.getByLabel("System message");
  const note = page.getByText(/^This set-up is from the link that you opened\./);
  await system.fill("Answer in rhymes.");
  await page.getByRole("button", { name: "Share set-up" }).click();
  const link = (await page.getByTestId("setup-link").textContent()) ?? "";
  await page.keyboard.press("Escape");
  await system.fill("Be brief.");
  await say(page, "My own conversation");
  await promptField(page).fill("My own draft");
  const expectOwn = async () => {
    await expect(note).toBeHidden();
    await expect(system).toHaveValue("Be brief.");
    await expect(promptField(page)).toHaveValue("My own draft");
    await expect.poll(() => new URL(page.url()).hash).toBe("");
  };
  const openLink = async () => {
    await page.evaluate((fragment) => {
      window.location.hash = fragment;
    }, new URL(link).hash);
    await expect(note).toBeVisible();
    await expect(system).toHaveValue("Answer in rhymes.");
    await expect(promptField(page)).toHaveValue("");
    await expect(turns(page)).toHaveCount(0);
    await expect.poll(() => new URL(page.url()).hash).toMatch(/^#linked=\w+$/);
  };

  await openLink();
  await say(page, "A rhyme, please");
  await promptField(page).fill("Another rhyme");
  await reload(page);
  await expect(note).toBeVisible();
  await expect(system).toHaveValue("Answer in rhymes.");
  await expect(promptField(page)).toHaveValue("Another rhyme");
  await expect(turns(page)).toHaveCount(1);
  await expect(turns(page)).toContainText("A rhyme, please");
  await expectAccessible(page, "/playground, with a link's set-up");

  await page.goBack();
  await expectOwn();
  await expect(turns(page)).toContainText("My own conversation");
  await page.goForward();
  await expect(note).toBeVisible();
  await expect(promptField(page)).toHaveValue("Another rhyme");
  await page.getByRole("button", { name: "Back to my draft" }).click();
  await expectOwn();
  await expect(turns(page)).toContainText("My own conversation");

  await openLink();
  await page.getByRole("button", { name: "New chat" }).click();
  await expectOwn();
  await expect(turns(page)).toHaveCount(0);

  await openLink();
  await open(page, "/usage");
  await open(page, "/playground");
  await expectOwn();
  await page.getByRole("button", { name: /^Conversations/ }).click();
  const list = page.getByRole("dialog", { name: "Conversations" });
  await expect(list.getByRole("button", { name: /^(My own conversation|A rhyme, please)/ })).toHaveCount(2);
});

test("View code names the account's keys, or where to create one, and follows the conversation", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  await open(page, "/playground");
  await page.getByRole("button", { name: "View code" }).click();
  const dialog = page.getByRole("dialog", { name: "API code" });
  await expect(dialog.getByText("You have no API key yet.")).toBeVisible();
  await expect(dialog.getByRole("link", { name: "Create key" })).toHaveAttribute("href", "/keys");
  await context.clearCookies();
  await openChat(page);
  await promptField(page).fill("What is it?");
  await page.getByRole("button", { name: "View code" }).click();
  await expect(dialog.getByText(/Set PENNYPROMPT_KEY to one of your API keys: .*demo/)).toBeVisible();
  await expect(dialog.getByRole("region", { name: "curl" })).toContainText("/api/v1/prompt");
  for (const [client, path] of [
    ["OpenAI", "/api/v1/chat/completions"],
    ["OpenAI Responses", "/api/v1/responses"],
    ["Anthropic", "/api/v1/messages"],
  ] as const) {
    await dialog.getByLabel("Client").selectOption({ label: client });
    await expect(dialog.getByRole("region", { name: "curl" })).toContainText(path);
  }
  await expectAccessible(page, "/playground, view code of Anthropic");
});
