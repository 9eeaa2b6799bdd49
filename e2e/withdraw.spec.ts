// Money in and out again: from the faucet to the balance, and from the balance to a wallet, confirmed on the chain itself.

import type { Locator, Page } from "@playwright/test";
import { encodeFunctionData, type Hex, hexToBigInt } from "viem";
import { formatUsd, parseUsd } from "@/lib/base/money";
import { usdcAbi, usdcAddress } from "@/lib/chains/evm/usdc";
import { arriveAt, casesOf, expect, open, test } from "./browser";
import { chooseFromList, chooseWallet } from "./connecting";
import { CREDITED_MS, pressFaucet, untilChainsRun } from "./faucet";
import { readSandbox } from "./sign-in";
import { installEvmWallet } from "./wallets/evm-wallet";
import { installSolanaWallet } from "./wallets/solana-wallet";

/** Until the deposit is final, swept if the treasury lacks funds, paid, and final again. */
const PAID_MS = 60_000;

const chains = { evm: "Base", solana: "Solana" } as const;
const install = { evm: installEvmWallet, solana: installSolanaWallet };

async function ask(url: string, method: string, params: unknown[]) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await answer.json()).result;
}

/** The wallet's USDC base units on its chain. */
const unitsOf = {
  evm: async (address: string): Promise<bigint> => {
    const data = encodeFunctionData({ abi: usdcAbi, functionName: "balanceOf", args: [address as Hex] });
    return hexToBigInt(await ask(readSandbox().rpc.base, "eth_call", [{ to: usdcAddress(31_337), data }, "latest"]));
  },
  solana: async (address: string): Promise<bigint> => {
    const { rpc, usdc } = readSandbox();
    const found = await ask(rpc.solana, "getTokenAccountsByOwner", [address, { mint: usdc.solana }, { encoding: "jsonParsed" }]);
    return BigInt(found.value[0]?.account.data.parsed.info.tokenAmount.amount ?? 0);
  },
};

async function fund(page: Page, chain: "evm" | "solana"): Promise<void> {
  await untilChainsRun();
  await open(page, "/deposit");
  await page.getByRole("tab", { name: chains[chain] }).click();
  await pressFaucet(page, chains[chain]);
  await expect(page.getByRole("link", { name: "Available $5.00", exact: true })).toBeVisible({ timeout: CREDITED_MS });
}

/** Waits until the deposit is final: only then can it leave. */
async function untilItCanLeave(page: Page): Promise<void> {
  await expect(async () => {
    await open(page, "/withdraw");
    await expect(page.getByText(/^You can withdraw on (Base|Solana)$/)).toBeVisible();
    await expect(page.getByText(/^Minimum \$1\.00 · maximum \$4\./)).toBeVisible({ timeout: 3_000 });
  }).toPass({ timeout: PAID_MS });
}

/** The hint, the maximum and the sum say the same amount; an exponent is none. */
async function enterMost(page: Page, chain: "evm" | "solana"): Promise<Locator> {
  const amount = page.getByLabel("Amount you receive");
  await page.getByRole("button", { name: "Max" }).click();
  const most = formatUsd(parseUsd(await amount.inputValue()));
  await expect(page.getByText(new RegExp(`maximum ${most.replaceAll(/[$.]/g, "\\$&")}( |$)`))).toBeVisible();
  await expect(page.getByText("You receive").locator("xpath=following-sibling::dd")).toHaveText(most);
  if (chain === "solana") await expect(page.getByText(/This wallet has no USDC account on Solana yet\. \$0\.50 includes/)).toBeVisible();
  await amount.fill("1e3");
  await expect(page.getByText("You receive").locator("xpath=following-sibling::dd")).toHaveText("–");
  await page.getByRole("button", { name: "Review" }).click();
  await expect(page.getByText("Use only digits and a decimal point, like 5 or 0.25.")).toBeVisible();
  await expect(amount).toBeFocused();
  return amount;
}

for (const chain of casesOf(["evm", "solana"] as const, "evm")) {
  test(`a deposit on ${chains[chain]} is withdrawn again: requested, declined, signed, paid, and on the chain`, async ({
    page,
    context,
  }) => {
    test.setTimeout(180_000);
    const wallet = await install[chain](context);
    await open(page, "/connect?next=/deposit");
    await chooseWallet(page, chain, wallet.name);
    await expect(page).toHaveURL("/deposit");
    await fund(page, chain);
    await untilItCanLeave(page);
    const { address } = wallet.keys();
    expect(await unitsOf[chain](address)).toBe(0n);

    const amount = await enterMost(page, chain);
    await amount.fill("3.0000001");
    await page.getByRole("button", { name: "Review" }).click();
    await expect(page.getByText("Use at most 6 decimal places.")).toBeVisible();
    await page.getByLabel("Amount you receive").fill("900");
    await page.getByRole("button", { name: "Review" }).click();
    // Which message depends on whether the reserves were counted since the deposit; the field's hint, which says what can leave, is gone.
    const tooMuch = page
      .getByRole("alert")
      .filter({ hasText: /exceeds the \$5\.00 that you can withdraw|Only \$[\d,.]+ can be withdrawn/ });
    await expect(tooMuch).toBeVisible();
    await page.getByLabel("Amount you receive").fill("3.25");
    await page.getByRole("button", { name: "Review" }).click();
    const order = page.getByRole("region", { name: "Review the withdrawal" });
    await expect(order).toContainText(address);
    await expect(order).toContainText("$3.25");
    await expect(order.locator("pre")).toContainText(address);

    const signed = wallet.signed.length;
    const sign = order.getByRole("button", { name: "Sign and withdraw" });
    // On a newly opened page an Ethereum wallet is still connected, and a Solana wallet must be chosen again.
    if (chain === "solana") {
      await order.getByRole("button", { name: "Solana wallet" }).click();
      await chooseFromList(page, wallet.name);
    }
    wallet.decline("sign");
    await sign.click();
    await expect(order.getByText("You declined in the wallet. Nothing was signed.")).toBeVisible();
    await expect(page.getByText("No withdrawals yet")).toBeVisible();
    await sign.click();
    await expect(page.getByRole("columnheader", { name: "Status" })).toBeVisible();
    const row = page.getByRole("main").getByRole("row").filter({ hasText: "$3.25" });
    await expect(row).toBeVisible();
    expect(wallet.signed).toHaveLength(signed + 1);
    expect(wallet.signed.at(-1)).toContain("3.25");
    expect(wallet.signed.at(-1)).toContain(address);

    await page.evaluate(() => document.body.setAttribute("data-loaded", "once"));
    await expect(row.getByText("paid", { exact: true })).toBeVisible({ timeout: PAID_MS });
    await expect(page.getByText("Withdrawal of $3.25 paid.")).toBeVisible();
    expect(await page.locator("body").getAttribute("data-loaded")).toBe("once");
    expect(await unitsOf[chain](address)).toBe(3_250_000n);

    // The chains hold all that is owed, the payout included.
    await expect(async () => {
      await open(page, "/reserves");
      await expect(page.getByRole("heading", { name: "Fully backed" })).toBeVisible({ timeout: 3_000 });
    }).toPass({ timeout: PAID_MS });
  });
}

test("own rules: a stricter one is saved at once, a looser one is signed and holds a day later", async ({ page, context }) => {
  const wallet = await installEvmWallet(context);
  await open(page, "/connect?next=/withdraw");
  await chooseWallet(page, "evm", wallet.name);
  await arriveAt(page, "/withdraw");
  const limit = page.getByLabel("24-hour limit");
  await limit.fill("20");
  await page.getByLabel("Waiting time").selectOption("Pay after 24 hours");
  await page.getByRole("button", { name: "Save rules" }).click();
  await expect(page.getByText("Saved. Stricter limits apply now; looser ones in 24 hours.")).toBeVisible();
  await expect(page.getByText("Left in your own limit")).toBeVisible();

  await limit.fill("twenty");
  await page.getByRole("button", { name: "Save rules" }).click();
  await expect(limit).toHaveAttribute("aria-invalid", "true");
  await limit.fill("");
  await page.getByRole("button", { name: "Save rules" }).click();
  const confirm = page.getByRole("dialog", { name: "Confirm with your wallet" });
  await expect(confirm.getByText(/without a daily limit of my own, each after 24 hours, to every linked wallet\.$/)).toBeVisible();
  await confirm.getByRole("button", { name: "Sign and confirm" }).click();
  const change = page.getByRole("region", { name: "Pending change" });
  await expect(change).toContainText(/In force now.*24-hour limit\$20\.00/s);
  await expect(change).toContainText(/From .*24-hour limitNo limit/s);
  await expect(page.getByText("Left in your own limit")).toBeVisible();
  expect(wallet.signed.at(-1)).toContain("Allow withdrawals from account");
  // What is in force becomes the rules to come: nothing is signed for that.
  const signed = wallet.signed.length;
  await change.getByRole("button", { name: "Cancel change" }).click();
  await expect(change).toHaveCount(0);
  await expect(limit).toHaveValue("20");
  expect(wallet.signed).toHaveLength(signed);
});
