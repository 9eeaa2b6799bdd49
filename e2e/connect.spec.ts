import { formatUsd, parseUsd } from "@/lib/base/money";
import { newWallet } from "@/lib/console/testing/wallets";
import { baseUrl, casesOf, expect, open, reload, test } from "./browser";
import { chooseWallet, signOut } from "./connecting";
import { demoWallet, readSandbox, readSession, signIn } from "./sign-in";
import { installEvmWallet } from "./wallets/evm-wallet";
import { installSolanaWallet } from "./wallets/solana-wallet";

const install = { evm: installEvmWallet, solana: installSolanaWallet };
const title = { evm: "Ethereum", solana: "Solana" };

const chains = ["evm", "solana"] as const;

for (const chain of casesOf(chains, "solana")) {
  test(`the ${title[chain]} wallet asks again when it is chosen again after a declined connection`, async ({ page, context }) => {
    const wallet = await install[chain](context);
    await open(page, "/connect");
    wallet.decline("connect");
    await chooseWallet(page, chain, wallet.name);
    await page.keyboard.press("Escape");
    expect(wallet.signed).toEqual([]);
    await chooseWallet(page, chain, wallet.name);
    await expect(page).toHaveURL("/overview");
  });
}

for (const chain of chains) {
  test(`the demo wallet in the ${title[chain]} list signs in automatically, to the account with 25 USD`, async ({ page, request }) => {
    await open(page, "/connect");
    await chooseWallet(page, chain, "Demo wallet");
    await expect(page).toHaveURL("/overview");
    // Other tests spend from this account at the same time.
    await expect(async () => {
      const answer = await request.get("/api/v1/balance", { headers: { authorization: `Bearer ${readSandbox().apiKey}` } });
      const available = parseUsd(/"available":([\d.]+)/.exec(await answer.text())?.[1] ?? "");
      await page.reload();
      await expect(page.getByRole("main")).toContainText(formatUsd(available), { timeout: 2_000 });
      expect(available).toBeGreaterThan(parseUsd("24"));
    }).toPass();
  });

  test(`selecting another account in the ${title[chain]} wallet signs out`, async ({ page, context }) => {
    const wallet = await install[chain](context);
    await open(page, "/connect");
    await chooseWallet(page, chain, wallet.name);
    await expect(page).toHaveURL("/overview");
    await open(page, "/keys");
    await wallet.switchTo(newWallet(chain));
    await expect(page.getByText("Your wallet switched to another account, so you were signed out.")).toBeVisible();
    expect(await readSession(context)).toEqual({});
  });
}

for (const chain of casesOf(chains, "evm")) {
  test(`the demo wallet in the ${title[chain]} list stays connected in its browser until it is disconnected`, async ({ page }) => {
    await open(page, "/connect");
    await chooseWallet(page, chain, "Demo wallet");
    await expect(page).toHaveURL("/overview");
    await signOut(page);
    await expect(page.getByText("in Demo wallet")).toBeVisible();
    await reload(page);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page).toHaveURL("/overview");
    await signOut(page);
    await page.getByRole("button", { name: "Use another wallet" }).click();
    await page.reload();
    await expect(page.getByRole("button", { name: `${title[chain]} wallet` })).toBeVisible();
  });
}

test("a Solana wallet that composes the text itself signs in with it", async ({ page, context }) => {
  const wallet = await installSolanaWallet(context, { writesText: true });
  await open(page, "/connect");
  await chooseWallet(page, "solana", wallet.name);
  await expect(page).toHaveURL("/overview");
  expect(wallet.signed).toHaveLength(1);
});

test("a console page redirects to sign-in and back, keeping its query", async ({ page, context }) => {
  const wallet = await installEvmWallet(context);
  await page.goto("/usage?model=gpt-4o");
  await expect(page).toHaveURL(`/connect?next=${encodeURIComponent("/usage?model=gpt-4o")}`);
  await chooseWallet(page, "evm", wallet.name);
  await expect(page).toHaveURL("/usage?model=gpt-4o");
});

test("who was signed out elsewhere is told so, and returns to the page they were on", async ({ page, context, browser, watch }) => {
  const wallet = await installEvmWallet(context);
  await signIn(context, wallet.keys());
  await open(page, "/usage?by=model");
  const elsewhere = await browser.newContext({ baseURL: baseUrl() });
  watch.also(elsewhere);
  await signIn(elsewhere, wallet.keys());
  const other = await elsewhere.newPage();
  await open(other, "/settings");
  await other.getByRole("button", { name: "Sign out everywhere" }).click();
  await other.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(other).toHaveURL(/\/connect$/);
  await elsewhere.close();
  await expect(page.getByText("Your session has ended. Sign in again to return to Usage.")).toBeVisible({ timeout: 20_000 });
  await chooseWallet(page, "evm", wallet.name);
  await expect(page).toHaveURL("/usage?by=model");
});

test("without JavaScript the page says that signing in needs it, and shows nothing that waits", async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${baseUrl()}/connect`);
  // Selectors by text or role skip what is inside of noscript.
  const notice = page.locator("noscript p");
  await expect(notice).toBeVisible();
  await expect(notice).toContainText("Signing in needs JavaScript");
  await expect(notice.locator("a")).toHaveAttribute("href", "/docs");
  await expect(page.getByRole("status", { name: "Looking for wallets in this browser" })).toBeHidden();
  await context.close();
});

test("both wallet lists are the same dialog, by look and by keyboard", async ({ page, context }) => {
  await installEvmWallet(context);
  await installSolanaWallet(context);
  await open(page, "/connect");
  const looks = [];
  for (const [chain, article] of [
    ["evm", "an"],
    ["solana", "a"],
  ] as const) {
    const opener = page.getByRole("button", { name: `${title[chain]} wallet` });
    await opener.press("Enter");
    const dialog = page.getByRole("dialog", { name: `Choose ${article} ${title[chain]} wallet` });
    await expect(dialog.getByRole("button", { name: "Demo wallet A shared account that began with $25 in test USDC" })).toBeVisible();
    await expect(
      dialog.getByRole("button", { name: "New test wallet Your own empty account. Its key stays in this browser." }),
    ).toBeVisible();
    looks.push(
      await dialog.evaluate((element) => {
        const { left, right, height } = element.getBoundingClientRect();
        const own = getComputedStyle(element);
        const heading = getComputedStyle(element.querySelector("h2") ?? element);
        return [left, right, height, own.borderRadius, own.backgroundColor, heading.fontSize, heading.textAlign];
      }),
    );
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(opener).toBeFocused();
  }
  expect(looks[0]).toEqual(looks[1]);
});

test("a signed-in person is redirected onward, and never to another site", async ({ page, context }) => {
  await signIn(context, demoWallet());
  await page.goto("/connect?next=/keys");
  await expect(page).toHaveURL("/keys");
  for (const next of [
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https://evil.example/overview",
    "https:evil.example",
    "javascript:alert(1)",
    "/overview/../../evil.example",
    "/overview//evil.example@evil.example",
    "/overview\n//evil.example",
    "%2F%2Fevil.example",
    "%252F%252Fevil.example",
    "/docs",
  ]) {
    for (const spelling of [next, encodeURIComponent(next)]) {
      const answer = await context.request.get(`/connect?next=${encodeURIComponent(spelling)}`, { maxRedirects: 0 });
      expect([307, 303, 302], spelling).toContain(answer.status());
      expect(new URL(answer.headers().location ?? "", baseUrl()).origin, spelling).toBe(baseUrl());
    }
  }
  await page.goto("/connect?next=%2F%2Fevil.example");
  await expect(page).toHaveURL("/overview");
});
