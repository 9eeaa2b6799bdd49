import { base58 } from "@scure/base";
import { afterEach, expect, test } from "vitest";
import { newAccountId } from "@/lib/base/ids";
import { fromCents } from "@/lib/base/money";
import { proofText } from "@/lib/chains/evm/settlement";
import { isSolanaSignature } from "@/lib/chains/solana/signature";
import { verifySignature } from "@/lib/chains/verify-signature";
import { createDemoKeys, demoIdentities, demoSigners, demoWalletsFile } from "@/lib/sandbox/demo-wallets";
import { endOfOrder, writeOrderText } from "@/lib/wallets/custody/withdrawal-order";
import { demoWallets, setDemoWallets, signWithDemoWallet } from "./demo-wallets";

afterEach(() => setDemoWallets(undefined));

const text = "127.0.0.1:3000 wants you to sign in with your Ethereum account:\n…";

test("without a sandbox there is no demo wallet and no signature", async () => {
  expect(demoWallets()).toBeNull();
  expect(await signWithDemoWallet("evm", text)).toBeNull();
});

test("it shows its addresses and signs texts that sign in to this service, and nothing else", async () => {
  const keys = createDemoKeys();
  setDemoWallets(demoSigners(keys));
  const shown = demoWallets();
  expect(JSON.stringify(shown)).not.toContain(keys.evm);
  expect(JSON.stringify(shown)).not.toContain(keys.solana);
  for (const wallet of demoIdentities(keys)) {
    expect(shown?.[wallet.chain].address.toLowerCase()).toBe(wallet.address.toLowerCase());
    expect(await verifySignature(wallet, text, (await signWithDemoWallet(wallet.chain, text)) ?? "")).toBe("valid");
    for (const other of ["", "evil.example wants you to sign in with your Ethereum account:", ` ${text}`, "Pay 25 USDC"]) {
      expect(await signWithDemoWallet(wallet.chain, other)).toBeNull();
    }
  }
});

test("it signs a withdrawal order of this service in its exact format, and nothing similar", async () => {
  const keys = createDemoKeys();
  setDemoWallets(demoSigners(keys));
  const [evm, solana] = demoIdentities(keys);
  if (!evm || !solana) throw new Error("the demo wallet is two");
  const issuedAt = new Date();
  const terms = { amount: fromCents(500), fee: fromCents(10), nonce: "A".repeat(22), issuedAt, validUntil: endOfOrder(issuedAt) };
  const accountId = newAccountId();
  for (const [chain, { address }] of [
    ["base", evm],
    ["solana", solana],
  ] as const) {
    const order = writeOrderText({ accountId, chain, destination: address, opensAccount: chain === "solana", ...terms });
    for (const wallet of [evm, solana]) {
      expect(await verifySignature(wallet, order, (await signWithDemoWallet(wallet.chain, order)) ?? "")).toBe("valid");
    }
    for (const other of [order.replace("PennyPrompt", "Other"), `${order}\nand more`, order.replace("Amount", "amount")]) {
      expect(await signWithDemoWallet("evm", other)).toBeNull();
    }
  }
});

test("it signs a payment to this service in its exact format, and nothing similar", async () => {
  const keys = createDemoKeys();
  setDemoWallets(demoSigners(keys));
  const [evm] = demoIdentities(keys);
  if (!evm) throw new Error("the demo wallet has an address");
  const payment = proofText("PennyPrompt", { requestNumber: 42n, cents: 3n, timestampMs: 1_796_083_201_000n });
  expect(await verifySignature(evm, payment, (await signWithDemoWallet("evm", payment)) ?? "")).toBe("valid");
  for (const other of [
    payment.replace("PennyPrompt", "Other"),
    payment.replace("req_42", "req_042"),
    payment.replace(": 3 USDC", ": 3.5 USDC"),
    `${payment}\n`,
    payment.replaceAll("\n", "\r\n"),
    payment.toLowerCase(),
  ]) {
    expect(await signWithDemoWallet("evm", other), other).toBeNull();
  }
});

test("the keys in sandbox.json belong to its addresses, in the format that wallets import", () => {
  const keys = createDemoKeys();
  const { evm, solana } = demoWalletsFile(keys);
  expect(evm).toEqual([{ address: demoSigners(keys).evm.address, privateKey: keys.evm }]);
  const secret = base58.decode(solana[0]?.secretKey ?? "");
  expect(base58.encode(secret.subarray(32))).toBe(solana[0]?.address);
  expect(isSolanaSignature(solana[0]?.address ?? "", text, "rubbish")).toBe(false);
});
