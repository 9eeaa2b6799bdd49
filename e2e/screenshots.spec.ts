// Takes the pictures of e2e/screenshots, as a person sees the pages after some weeks of use. By hand, never as a test:
// SCREENSHOTS=1 npx playwright test --config e2e/playwright.config.ts e2e/screenshots.spec.ts

import { join } from "node:path";
import type { Page } from "@playwright/test";
import pg from "pg";
import { newWallet } from "@/lib/console/testing/wallets";
import { runningPostgresUrl } from "@/lib/db/embedded";
import { databaseDirectory } from "@/lib/db/testing/scratch";
import type { EventTypeName } from "@/lib/events/catalogue";
import { openReceiver, withStatus } from "@/lib/events/testing/receiver";
import { baseUrl, expect, test } from "./browser";
import { promptField, say } from "./chatting";
import { chooseFromList } from "./connecting";
import { CREDITED_MS, fundByFaucet, pressFaucet } from "./faucet";
import { rewrite, shoot, show, sizes } from "./pictures";
import { demoWallet, signIn } from "./sign-in";

test("public pages", async ({ page }) => {
  test.setTimeout(120_000);
  for (const [path, name, looks] of [
    ["/", "landing", ["desk-light", "desk-dark", "phone-light", "phone-dark"]],
    ["/models", "models", ["desk-light", "desk-dark", "phone-light"]],
    ["/docs", "docs", ["desk-light", "phone-dark"]],
    ["/docs/api", "docs-api", ["desk-light"]],
    ["/docs/errors/INSUFFICIENT_BALANCE", "docs-error", ["desk-light"]],
    ["/docs/withdrawals", "docs-withdrawals", ["desk-light"]],
    ["/docs/payments", "docs-payments", ["desk-light", "phone-dark"]],
    ["/docs/x402", "docs-x402", ["desk-light"]],
    ["/status", "status", ["desk-light", "phone-light"]],
    ["/connect", "connect", ["desk-light", "phone-light", "desk-dark"]],
  ] as const) {
    await show(page, path);
    await shoot(page, name, looks);
  }
  for (const [button, name] of [
    ["Ethereum wallet", "connect-ethereum"],
    ["Solana wallet", "connect-solana"],
  ] as const) {
    await show(page, "/connect");
    await page.getByRole("button", { name: button }).click();
    await expect(page.getByRole("dialog").getByRole("button", { name: "Demo wallet" })).toBeVisible();
    await shoot(page, name, ["desk-light", "phone-dark"]);
  }
});

test("the console of a new account", async ({ page, context }) => {
  test.setTimeout(120_000);
  await signIn(context, newWallet("solana"));
  for (const name of ["overview", "keys", "usage", "alerts", "deposit", "withdraw", "playground", "payments", "activity"]) {
    await show(page, `/${name}`);
    await shoot(page, `${name}-new`, ["desk-light", "phone-light"]);
  }
});

test("alerts, with an endpoint that fails", async ({ page, context }) => {
  test.setTimeout(180_000);
  await signIn(context, newWallet("solana"));
  const [working, failing] = [await openReceiver(), await openReceiver()];
  failing.answer(withStatus(500));
  try {
    await show(page, "/alerts");
    for (const { url } of [working, failing]) await addWebhook(page, url);
    await page.getByPlaceholder("5.00").fill("5");
    await page.keyboard.press("Enter");
    await expect(page.getByText(/^Saved/)).toBeVisible();
    await createKeyOnPage(page, "Production", { withPictures: false });
    await sendSample(page, working.url, "deposit.credited");
    await sendSample(page, failing.url, "price.changed");
    await show(page, "/alerts");
    const failed = page.getByRole("list", { name: "Deliveries" }).getByRole("listitem").filter({ hasText: "price.changed" });
    await expect(failed).toContainText("last: status 500", { timeout: 60_000 });
    await failed.locator("summary").click();
    const hosts = [
      [new URL(working.url).host, "hooks.example.com"],
      [new URL(failing.url).host, "staging.example.com"],
    ] as [string, string][];
    await page.evaluate(rewrite, hosts);
    await shoot(page, "alerts", ["desk-light", "desk-dark", "phone-light"]);
    const log = page.getByRole("heading", { name: "Deliveries" });
    await shoot(page, "alerts-deliveries", ["desk-light", "desk-dark", "phone-light", "phone-dark"], log);
  } finally {
    await Promise.all([working.close(), failing.close()]);
  }
});

async function addWebhook(page: Page, url: string): Promise<void> {
  await page.getByRole("button", { name: "Add destination" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill(url);
  await dialog.getByRole("button", { name: "Add destination" }).click();
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await expect(dialog).toBeHidden();
}

async function sendSample(page: Page, url: string, type: EventTypeName): Promise<void> {
  await show(page, "/alerts");
  await page.getByRole("button", { name: `Actions for ${new URL(url).host}` }).click();
  await page.getByRole("menuitem", { name: "Send a sample" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Event").selectOption(type);
  await dialog.getByRole("button", { name: "Send sample" }).click();
  await expect(dialog).toBeHidden();
}

test("the console after some weeks", async ({ page, context }) => {
  test.setTimeout(600_000);
  await signIn(context, demoWallet());
  const keys = [await createKeyOnPage(page, "Production"), await createKeyOnPage(page, "Nightly report")];
  await call(keys);
  await spreadOverWeeks();

  await show(page, "/overview");
  await shoot(page, "overview", ["desk-light", "desk-dark", "phone-light", "phone-dark"]);
  await show(page, "/keys");
  await shoot(page, "keys", ["desk-light", "desk-dark", "phone-light"]);
  await page.getByRole("button", { name: "Actions for Production" }).click();
  await shoot(page, "keys-menu", ["desk-light"]);
  await show(page, "/usage?by=model");
  await shoot(page, "usage", ["desk-light", "desk-dark", "phone-light"]);
  await page
    .getByRole("link", { name: /^Receipt: / })
    .first()
    .click();
  await expect(page.getByRole("dialog", { name: "Receipt" })).toContainText("Model");
  await shoot(page, "receipt", ["desk-light", "desk-dark", "phone-light"]);
  await show(page, "/playground");
  await say(page, "What is a nano-dollar?");
  await say(page, "And how many of them are a cent?");
  await shoot(page, "playground", ["desk-light", "desk-dark", "phone-light"]);
  await page.setViewportSize(sizes.desk);
  await page.getByRole("button", { name: "View code" }).click();
  await expect(page.getByRole("dialog", { name: "API code" }).getByText("curl").first()).toBeVisible();
  await shoot(page, "playground-code", ["desk-light"]);
  await moneyInAndOut(page);
  await paidByWallet(page);
  await show(page, "/settings");
  await shoot(page, "settings", ["desk-light", "desk-dark", "phone-light"]);
});

/** A deposit on each chain while it arrives, then a withdrawal until it is paid, and the public pages about both. */
async function moneyInAndOut(page: Page): Promise<void> {
  await fundByFaucet(page);
  await page.getByRole("tab", { name: "Solana" }).click();
  await pressFaucet(page, "Solana");
  await expect(
    page
      .getByRole("main")
      .getByText(/^(seen|confirming)/)
      .first(),
  ).toBeVisible();
  await shoot(page, "deposit-coming", ["desk-light"]);
  await expect(page.getByRole("main").getByText("credited", { exact: true })).toHaveCount(2, { timeout: CREDITED_MS });
  await shoot(page, "deposit", ["desk-light", "desk-dark", "phone-light"]);
  await show(page, "/withdraw");
  await page.getByLabel("Amount you receive").fill("3.25");
  await shoot(page, "withdraw", ["desk-light", "desk-dark", "phone-light"]);
  await page.setViewportSize(sizes.desk);
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("button", { name: "Ethereum wallet" }).click();
  await chooseFromList(page, "Demo wallet");
  const sign = page.getByRole("button", { name: "Sign and withdraw" });
  await expect(sign).toBeVisible();
  await shoot(page, "withdraw-review", ["desk-light", "phone-dark"]);
  await page.setViewportSize(sizes.desk);
  await sign.click();
  const row = page.getByRole("main").getByRole("row").filter({ hasText: "$3.25" });
  await expect(row).toBeVisible();
  await shoot(page, "withdraw-under-way", ["desk-light"]);
  await expect(row.getByText("paid", { exact: true })).toBeVisible({ timeout: 60_000 });
  await shoot(page, "withdraw-paid", ["desk-light", "phone-light"]);
  await expect(async () => {
    await show(page, "/reserves");
    await expect(page.getByText("Solana, treasury")).toBeVisible({ timeout: 3_000 });
  }).toPass({ timeout: 60_000 });
  await shoot(page, "reserves", ["desk-light", "desk-dark", "phone-light"]);
}

/** The demo wallet, which is still connected, approves USDC, and pays for a prompt. */
async function paidByWallet(page: Page): Promise<void> {
  await show(page, "/payments");
  const main = page.getByRole("main");
  const approve = main.getByRole("button", { name: "Approve USDC for payments" });
  await expect(approve).toBeEnabled();
  await shoot(page, "payments-allowance", ["desk-light", "phone-dark"]);
  await page.setViewportSize(sizes.desk);
  await approve.click();
  await expect(main.getByText(/^Approved\./)).toBeVisible();
  await main.getByRole("link", { name: "Try it" }).click();
  await promptField(page).fill("What is a nano-dollar?");
  await page.getByRole("button", { name: "Pay with my wallet" }).click();
  const sign = page.getByRole("button", { name: "Sign and pay $0.01" });
  await expect(sign).toBeEnabled(); // the wallet is still connected
  await shoot(
    page,
    "playground-sign",
    ["desk-light", "desk-dark", "phone-light"],
    page.getByRole("region", { name: "Pay with my wallet" }),
  );
  await page.setViewportSize(sizes.desk);
  await sign.click();
  await expect(page.getByText(/^Paid from the wallet/)).toBeVisible({ timeout: 30_000 });
  await shoot(page, "playground-paid", ["desk-light", "phone-dark"]);
  await page.setViewportSize(sizes.desk);
  await show(page, "/payments");
  await expect(main.getByRole("row").getByText("paid", { exact: true }).first()).toBeVisible();
  await shoot(page, "payments", ["desk-light", "desk-dark", "phone-light"]);
}

/** Creates a key, with pictures of each step unless it is told otherwise. */
async function createKeyOnPage(page: Page, name: string, { withPictures = true } = {}): Promise<string> {
  const shootStep: typeof shoot = async (...step) => {
    if (withPictures) await shoot(...step);
  };
  await show(page, "/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Amount in USD", { exact: true }).fill("2"); // several such keys need no signature
  await shootStep(page, "key-create", ["desk-light", "phone-light"]);
  await page.setViewportSize(sizes.desk);
  await dialog.getByRole("button", { name: "Create key" }).click();
  const key = (await dialog.getByRole("region", { name: "The new key" }).locator("code").textContent()) ?? "";
  // A picture shows no working key, not even of a sandbox that no longer exists.
  await page.evaluate(rewrite, [[key, `${key.slice(0, 8)}${"x9Qm2".repeat(6)}`.slice(0, key.length)]] as [string, string][]);
  await shootStep(page, "key-shown", ["desk-light", "phone-dark"]);
  await page.setViewportSize(sizes.desk);
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await expect(dialog).toBeHidden();
  return key;
}

const prompts = [
  "Summarise the ticket below.",
  "Translate to French: good morning.",
  "Write a commit message.",
  "Name three risks.",
  "Is this spam?",
];
const models = ["gpt-4o", "claude-haiku-4-5", "gemini-2.5-flash", "deepseek-chat"];

/** Some dozens of requests, to several models and with both keys. */
async function call(keys: readonly string[]): Promise<void> {
  for (let index = 0; index < 48; index += 1) {
    const prompt = (prompts[index % prompts.length] ?? "").repeat(1 + ((index * 7) % 11));
    const answer = await fetch(`${baseUrl()}/api/v1/prompt`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys[index % 5 === 0 ? 1 : 0]}`, "content-type": "application/json" },
      body: JSON.stringify({ model: models[((index * 7) % 11) % models.length], prompt }),
    });
    expect(answer.status).toBe(200);
  }
}

/** Spreads the charges of this run over the last weeks, more of them lately, so that the pictures need not wait that long. */
async function spreadOverWeeks(): Promise<void> {
  const url = await runningPostgresUrl(join(process.env.DATA_DIR ?? "", databaseDirectory));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SET session_replication_role = replica"); // charges are immutable, and this sandbox is about to be deleted
    await client.query(`
      UPDATE charge SET at = charge.at - interval '27 days' * power(1 - ranked.share, 1.4)
      FROM (SELECT request_id, row_number() OVER (ORDER BY seq)::float8 / count(*) OVER () AS share FROM charge) ranked
      WHERE ranked.request_id = charge.request_id`);
  } finally {
    await client.end();
  }
}
