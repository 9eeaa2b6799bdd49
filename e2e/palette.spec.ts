import { expectAccessible } from "./axe";
import { arriveAt, baseUrl, expect, open, test, untilButtonsAnswer } from "./browser";
import { demoWallet, readSandbox, signIn } from "./sign-in";

const search = { name: "Search", exact: true } as const;

test("the palette finds a heading of the docs and a model by keyboard, and gives the focus back", async ({ page }) => {
  await open(page, "/");
  await page.getByRole("link", { name: "Docs", exact: true }).focus();
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", search);
  await expect(box).toBeFocused();
  await expect(page.getByText("Connect a wallet to search your keys and requests.")).toBeVisible();
  await expect(page.getByRole("option", { name: /^Quick start/ })).toBeVisible();
  await expectAccessible(page, "the palette, open");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByRole("link", { name: "Docs", exact: true })).toBeFocused();

  await page.keyboard.press("Meta+k");
  await box.fill("refunds");
  await expect(page.getByRole("option").first()).toHaveText(/^Refunds\s*Withdrawals/);
  await expect(page.getByRole("option").first()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await arriveAt(page, /\/docs\/withdrawals#back$/);
  await expect(page.getByRole("heading", { name: "Refunds" })).toBeInViewport();
  // The palette left nothing in the history.
  await page.goBack();
  await arriveAt(page, `${baseUrl()}/`);

  await page.keyboard.press("Control+k");
  await box.fill("zebra crossing");
  await expect(page.getByText("No results for “zebra crossing”.")).toBeVisible();
  await expectAccessible(page, "the palette with no results");
  await box.fill("gpt-4-tur");
  await expect(page.getByRole("option").first()).toHaveText(/gpt-4-turbo/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await arriveAt(page, /\/models\/gpt-4-turbo$/);
});

test("signed in, it finds a key by name and a request by its id or its beginning; Back closes it", async ({ page, context }) => {
  await signIn(context, demoWallet());
  const answer = await page.request.post("/api/v1/prompt", {
    headers: { authorization: `Bearer ${readSandbox().apiKey}` },
    data: { model: "gpt-4-turbo", prompt: "Hello" },
  });
  const { requestId } = (await answer.json()) as { requestId: string };
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, "/settings");
  await page.getByRole("button", search).click();
  const box = page.getByRole("combobox", search);
  await box.fill("demo");
  await expect(page.getByRole("group", { name: "Keys" }).getByRole("option")).toHaveText([/demo.*pp_.*…/]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  await expectAccessible(page, "the palette on a phone, with keys");
  await page.goBack();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page).toHaveURL(/\/settings$/);

  await page.getByRole("button", search).click();
  await box.fill(requestId.slice(0, 16));
  await expect(page.getByRole("group", { name: "Requests" }).getByText(requestId)).toBeVisible();
  await box.fill(requestId);
  await page.getByRole("group", { name: "Requests" }).getByRole("option").click();
  await arriveAt(page, new RegExp(`/usage\\?receipt=${requestId}$`));
  await untilButtonsAnswer(page);
  await expect(page.getByRole("dialog")).toContainText(requestId);
});

test("over an open dialog Back closes the palette alone, and a choice leaves both", async ({ page, context }) => {
  await signIn(context, demoWallet());
  await open(page, "/overview");
  await open(page, "/playground");
  await page.getByRole("button", { name: /^Conversations/ }).click();
  const dialog = page.getByRole("dialog", { name: "Conversations" });
  await expect(dialog).toBeVisible();
  const box = page.getByRole("combobox", search);
  await page.keyboard.press("Control+k");
  await expect(box).toBeFocused();
  await page.goBack();
  await expect(box).toBeHidden();
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Control+k");
  await box.fill("refunds");
  await expect(page.getByRole("option").first()).toHaveText(/^Refunds/);
  await page.keyboard.press("Enter");
  await arriveAt(page, /\/docs\/withdrawals#back$/);
  await expect(dialog).toBeHidden();
});

test("the account's part of the search is for its owner only", async ({ page }) => {
  expect((await page.request.get("/account/search?request=req_0")).status()).toBe(401);
});
