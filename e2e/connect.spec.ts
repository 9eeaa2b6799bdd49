import { formatUsd, parseUsd } from "@/lib/base/money";
import { newWallet } from "@/lib/console/testing/wallets";
import { baseUrl, expect, open, test } from "./browser";
import { chooseWallet } from "./connecting";
import { demoWallet, readSandbox, readSession, signIn } from "./sign-in";
import { installEvmWallet } from "./wallets/evm-wallet";
import { installSolanaWallet } from "./wallets/solana-wallet";

const install = { evm: installEvmWallet, solana: installSolanaWallet };
const title = { evm: "Ethereum", solana: "Solana" };

for (const chain of ["evm", "solana"] as const) {
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
    await page.goto("/keys");
    await wallet.switchTo(newWallet(chain));
    await expect(page).toHaveURL("/connect");
    expect(await readSession(context)).toEqual({});
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
