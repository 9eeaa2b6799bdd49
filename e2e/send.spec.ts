// Sending from a wallet in the browser: what is sent arrives live, and no wallet on another chain is asked to send.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import type { Hex } from "viem";
import { createNodes } from "@/lib/chains/evm/nodes";
import { newWallet } from "@/lib/console/testing/wallets";
import { startAnvil } from "@/lib/sandbox/evm-chain/anvil";
import { fundGas } from "@/lib/sandbox/evm-chain/gas";
import { createMinter } from "@/lib/sandbox/evm-chain/minter";
import { casesOf, expect, open, test, untilButtonsAnswer } from "./browser";
import { chooseFromList, chooseWallet } from "./connecting";
import { CREDITED_MS, pressFaucet, untilChainsRun } from "./faucet";
import { readSandbox, signIn } from "./sign-in";
import { installEvmWallet } from "./wallets/evm-wallet";
import { installSolanaWallet } from "./wallets/solana-wallet";

test.setTimeout(120_000);

const chains = { evm: "Base", solana: "Solana" } as const;

/** Opens the page's sending form, and chooses the wallet; null for one that is connected already. */
async function openSending(page: Page, chain: "evm" | "solana", wallet: string | null): Promise<Locator> {
  await page.getByRole("tab", { name: chains[chain] }).click();
  await page.getByRole("button", { name: "Send from my wallet" }).click();
  const part = page.getByRole("region", { name: "Send from my wallet" });
  if (wallet === null) return part;
  await part.getByRole("button", { name: "Choose wallet" }).click();
  await chooseFromList(page, wallet);
  return part;
}

async function send(part: Locator, amount: string): Promise<void> {
  await part.getByLabel("Amount in USDC").fill(amount);
  await part.getByRole("button", { name: "Send", exact: true }).click();
}

const rowOf = (page: Page, amount: string) => page.getByRole("main").getByRole("row").filter({ hasText: amount });

const availableOn = async (page: Page): Promise<number> => {
  const text = await page.getByRole("link", { name: /^Available / }).textContent();
  return Number(/^Available \$([\d,]+\.\d\d)/.exec(text ?? "")?.[1]?.replaceAll(",", ""));
};

const amounts = [
  ["evm", "2.25"],
  ["solana", "3.75"],
] as const;

for (const [chain, amount] of casesOf(amounts, amounts[1])) {
  test(`the demo wallet signs in, gets test USDC on ${chains[chain]} and sends its own; both arrive live`, async ({ page }) => {
    await untilChainsRun();
    await open(page, "/connect?next=/deposit");
    await chooseWallet(page, chain, "Demo wallet");
    await expect(page).toHaveURL("/deposit");
    await untilButtonsAnswer(page);
    await page.getByRole("tab", { name: chains[chain] }).click();
    const before = await availableOn(page);
    await page.evaluate(() => document.body.setAttribute("data-loaded", "once"));
    await pressFaucet(page, chains[chain]);
    await expect(rowOf(page, "$5.00").filter({ hasText: chains[chain] }).getByText("credited", { exact: true })).toBeVisible({
      timeout: CREDITED_MS,
    });
    const part = await openSending(page, chain, null);
    await expect(part.getByText("in Demo wallet")).toBeVisible();
    // Other tests pay for prompts from it, and add money to it.
    await expect(part.getByText(/This wallet has \$[1-9]\d+\.\d+\. /)).toBeVisible();
    await send(part, amount);
    await expect(part.getByText("It appears in the list below. We’ll add it to your balance once confirmed.")).toBeVisible({
      timeout: CREDITED_MS,
    });
    await expect(rowOf(page, `$${amount}`).getByText("credited", { exact: true })).toBeVisible({ timeout: CREDITED_MS });
    // Other tests spend a few cents of the demo account at the same time.
    await expect.poll(() => availableOn(page)).toBeGreaterThan(before + 5 + Number(amount) - 0.5);
    expect(await page.locator("body").getAttribute("data-loaded")).toBe("once");
  });
}

/** Gives a wallet what it needs to pay on the sandbox's EVM chain. */
async function fund(address: string): Promise<void> {
  const { chainKeys } = JSON.parse(readFileSync(join(process.env.DATA_DIR ?? "", "secrets.json"), "utf8"));
  const minter = createMinter(chainKeys.minter, 31_337);
  await createNodes({ urls: [readSandbox().rpc.base], chainId: 31_337 }).callFirst(async (node) => {
    await fundGas(node, address as Hex);
    await minter.mint(node, address as Hex, 20_000_000n);
  });
}

test("a wallet on a public chain is asked to switch its network, never to send there; then it sends, unless it declines", async ({
  page,
  context,
}) => {
  await untilChainsRun();
  const wallet = await installEvmWallet(context);
  await fund(wallet.keys().address);
  await signIn(context, wallet.keys());
  await open(page, "/deposit");
  const part = await openSending(page, "evm", wallet.name);
  // When it connects, it is offered the sandbox's chain, with a URL that it can reach.
  await expect(part.getByText("This wallet has $20.00.")).toBeVisible();
  expect(wallet.told).toMatchObject([{ chainId: "0x7a69", rpcUrls: [readSandbox().rpc.base] }]);
  await wallet.changeNetwork(8_453);
  await expect(part.getByText(/This wallet is on another network/)).toBeVisible();
  await expect(part.getByLabel("Amount in USDC")).toBeHidden();
  wallet.decline("switch");
  await part.getByRole("button", { name: "Switch network" }).click();
  await expect(part.getByText(/The wallet did not switch/)).toBeVisible();
  await part.getByRole("button", { name: "Switch network" }).click();
  await expect(part.getByText("This wallet has $20.00.")).toBeVisible();
  expect(wallet.asked).toEqual([]);

  for (const [amount, words] of [
    ["", /Enter an amount/],
    ["0", /above zero/],
    ["0.0000001", /at most 6 decimal places/],
    ["20.000001", /This wallet has \$20\.00/],
  ] as const) {
    await send(part, amount);
    await expect(part.getByText(words)).toBeVisible();
  }
  wallet.decline("sign");
  await send(part, "1.000001");
  await expect(part.getByText("You declined in the wallet. Nothing was sent.")).toBeVisible();
  await send(part, "1.000001");
  await expect(rowOf(page, "$1.000001").getByText("credited", { exact: true })).toBeVisible({ timeout: CREDITED_MS });
  expect(wallet.asked.map(({ chainId }) => chainId)).toEqual(["0x7a69", "0x7a69"]);
});

test("a wallet on another chain with the same chain id sees a warning, and is not asked to send", async ({ page, context }) => {
  const folder = mkdtempSync(join(tmpdir(), "other-chain-"));
  const other = await startAnvil({ chainId: 31_337, port: 0, statePath: join(folder, "state.json"), cachePath: join(folder, "cache") });
  try {
    await untilChainsRun();
    const wallet = await installEvmWallet(context, { chainId: 31_337, knows: other.url });
    await signIn(context, newWallet("solana"));
    await open(page, "/deposit");
    const part = await openSending(page, "evm", wallet.name);
    await expect(part.getByText(/another chain with the same chain ID, 31337/)).toContainText(readSandbox().rpc.base);
    await expect(part.getByRole("button", { name: "Send", exact: true })).toBeHidden();
    expect(wallet.asked).toEqual([]);
  } finally {
    await other.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a new test wallet gets test USDC and SOL for its fee where it sends", async ({ page, context }) => {
  await untilChainsRun();
  const wallet = await installSolanaWallet(context);
  await signIn(context, newWallet("evm"));
  await open(page, "/deposit");
  const part = await openSending(page, "solana", wallet.name);
  await part.getByRole("button", { name: "Send test USDC to this wallet" }).click();
  await expect(page.getByText("Test USDC and SOL for fees are on the way to this wallet.")).toBeVisible();
  await expect(part.getByText("This wallet has $5.00.")).toBeVisible({ timeout: CREDITED_MS });
  await expect(part.getByText(/Not enough SOL/)).toBeHidden();
  await expect(part.getByRole("button", { name: "Send test USDC to this wallet" })).toBeHidden();
  await expect(part.getByRole("button", { name: "Send", exact: true })).toBeEnabled();
});

test("a Solana wallet without test USDC cannot send", async ({ page, context }) => {
  await untilChainsRun();
  const wallet = await installSolanaWallet(context);
  await signIn(context, newWallet("evm"));
  await open(page, "/deposit");
  const part = await openSending(page, "solana", wallet.name);
  await expect(part.getByText("This wallet has no USDC on this network.")).toBeVisible();
  await expect(part.getByText(/Not enough SOL/)).toBeVisible();
  await expect(part.getByRole("button", { name: "Send", exact: true })).toBeDisabled();
  await part.getByRole("button", { name: "Use another wallet" }).click();
  await expect(part.getByRole("button", { name: "Choose wallet" })).toBeVisible();
});
