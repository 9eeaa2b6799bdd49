// A settlement as the service makes it: simulated, sent and found on the chain; and its gas cost.

import { erc20Abi, type Hex, parseEventLogs } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { MAX_SETTLEMENT_GAS } from "@/lib/tidy/limits";
import { findBlock } from "./blocks";
import { createNodes } from "./nodes";
import { findSettledTransaction, findSettleRefusal, readSettleRevert, settledCentsOf } from "./settled";
import { encodeSettle, type ProofTerms, proofText, readSettlement, settlementAbi } from "./settlement";
import { contractWallets } from "./testing/contract-wallets";
import { startFaultyNode } from "./testing/faulty-node";
import { type SettlementChain, startSettlementChain } from "./testing/settlement-chain";
import { newAddress } from "./testing/usdc-chain";

const key = privateKeyToAccount(generatePrivateKey());
const payer = key.address.toLowerCase() as Hex;
const UNITS_PER_CENT = 10_000n;

let chain: SettlementChain;
let settlement: Awaited<ReturnType<SettlementChain["openSettlement"]>>;
beforeAll(async () => {
  chain = await startSettlementChain();
  settlement = await chain.openSettlement({});
  await chain.mint(settlement.treasury, 1n); // as in any treasury in use
  await chain.mint(payer, 10n ** 9n);
  await chain.approve(payer, settlement.address, 10n ** 9n);
});
afterAll(() => chain?.stop());

async function newProof(terms: Partial<ProofTerms> = {}): Promise<{ proof: ProofTerms; signature: Hex }> {
  const timestampMs = BigInt((await findBlock("latest", chain.nodes))?.timestampS ?? 0) * 1_000n + 123n;
  const proof = { from: payer, requestNumber: 7n, cents: 25n, timestampMs, ...terms };
  return { proof, signature: await key.signMessage({ message: proofText("PennyPrompt", proof) }) };
}

const settle = (proof: ProofTerms, signature: Hex) =>
  chain.send(settlement.relayer, { to: settlement.address, data: encodeSettle(proof, signature) });
const refusalOf = (proof: ProofTerms, signature: Hex) => findSettleRefusal({ ...settlement, proof, signature }, chain.nodes);

test("a settlement is one transfer of the amount to the treasury and one event, is found again, and is refused a second time", async () => {
  const { proof, signature } = await newProof();
  const before = { isDeployed: true, settledCents: 0n, allowance: 10n ** 9n, balance: 10n ** 9n };
  expect(await readSettlement(settlement.address, proof, chain.nodes)).toEqual(before);
  expect(await findSettledTransaction(settlement.address, proof, chain.nodes)).toBeNull();
  expect(await refusalOf(proof, signature)).toBeNull();

  const { logs, transactionHash, blockNumber } = await settle(proof, signature);
  const [moved] = parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs });
  expect(moved?.args).toMatchObject({ value: 25n * UNITS_PER_CENT });
  expect([moved?.args.from.toLowerCase(), moved?.args.to.toLowerCase()]).toEqual([payer, settlement.treasury]);
  const [event] = parseEventLogs({ abi: settlementAbi, logs });
  expect(event?.args).toMatchObject({ requestNumber: 7n, cents: 25n, timestampMs: proof.timestampMs });
  expect(logs).toHaveLength(2);

  const units = 10n ** 9n - 25n * UNITS_PER_CENT;
  expect(await readSettlement(settlement.address, proof, chain.nodes)).toEqual({
    ...before,
    settledCents: 25n,
    allowance: units,
    balance: units,
  });
  await chain.mine(20);
  const found = { transaction: transactionHash, block: Number(blockNumber), cents: 25n, timestampMs: proof.timestampMs };
  expect(await findSettledTransaction(settlement.address, proof, chain.nodes)).toEqual(found);
  const other = await newProof({ cents: 26n });
  // Another amount under the same number: the result is the settlement that happened, not this one.
  expect(await findSettledTransaction(settlement.address, other.proof, chain.nodes)).toEqual(found);
  for (const again of [{ proof, signature }, other])
    expect(await refusalOf(again.proof, again.signature)).toEqual({ reason: "settled_already", message: "AlreadySettled" });
});

test("a refusal is predicted before sending, with its reason", async () => {
  const good = await newProof({ requestNumber: 8n });
  const late = await newProof({ requestNumber: 8n, timestampMs: good.proof.timestampMs - 400_000n });
  const dear = await newProof({ requestNumber: 8n, cents: 10n ** 6n });
  expect(await refusalOf(late.proof, late.signature)).toMatchObject({ reason: "expired" });
  expect(await refusalOf(good.proof, late.signature)).toMatchObject({ reason: "bad_signature" });
  expect(await refusalOf(dear.proof, dear.signature)).toMatchObject({ reason: "allowance_too_low" });
  await chain.approve(payer, settlement.address, 10n ** 18n);
  expect(await refusalOf(dear.proof, dear.signature)).toMatchObject({ reason: "wallet_balance_too_low" });
  await chain.approve(payer, settlement.address, 0n);
  expect(await refusalOf(good.proof, good.signature)).toMatchObject({ reason: "allowance_too_low" });
  await chain.approve(payer, settlement.address, 10n ** 9n);
  const words = ["0x", "0x1234", `0x08c379a0${"f".repeat(64)}`] as const;
  for (const data of words) expect(readSettleRevert(data)).toMatchObject({ reason: "settlement_failed" });
});

test("an outage, or a false settlement event from a node, does not count as an answer of the chain", async () => {
  const { proof, signature } = await newProof({ requestNumber: 9n });
  const away = await startFaultyNode(chain.url(), ({ method }) => (method === "eth_chainId" ? null : { status: 503 }));
  const nodes = createNodes({ urls: [away.url], chainId: chain.chainId });
  await expect(findSettleRefusal({ ...settlement, proof, signature }, nodes)).rejects.toMatchObject({ kind: "failing" });
  await expect(readSettlement(settlement.address, proof, nodes)).rejects.toMatchObject({ kind: "failing" });
  await expect(findSettledTransaction(settlement.address, proof, nodes)).rejects.toMatchObject({ kind: "failing" });
  await away.close();
  const other = await newProof({ requestNumber: 10n });
  await settle(other.proof, other.signature);
  const filter = { address: settlement.address, fromBlock: "0x0", toBlock: "latest" } as const;
  const logs = await chain.nodes.callFirst((node) => node.call("eth_getLogs", [filter], z.array(z.unknown())));
  const liar = await startFaultyNode(chain.url(), ({ method }) => (method === "eth_getLogs" ? { rewrite: () => logs } : null));
  const lying = createNodes({ urls: [liar.url], chainId: chain.chainId });
  expect(await findSettledTransaction(settlement.address, proof, lying)).toBeNull();
  await liar.close();
});

test("a settlement missing from the first node's logs is found through another, and its amount can be read at any block", async () => {
  const { proof, signature } = await newProof({ requestNumber: 11n });
  const { transactionHash, blockNumber } = await settle(proof, signature);
  const empty = await startFaultyNode(chain.url(), ({ method }) => (method === "eth_getLogs" ? { rewrite: () => [] } : null));
  const through = (...urls: string[]) => createNodes({ urls, chainId: chain.chainId });
  const found = { transaction: transactionHash, block: Number(blockNumber), cents: 25n };
  expect(await findSettledTransaction(settlement.address, proof, through(empty.url, chain.url()))).toMatchObject(found);
  expect(await findSettledTransaction(settlement.address, proof, through(empty.url, empty.url))).toBeNull();
  await empty.close();
  const block = (await findBlock(Number(blockNumber), chain.nodes))?.hash ?? "0x";
  const before = (await findBlock(Number(blockNumber) - 1, chain.nodes))?.hash ?? "0x";
  const centsAt = (blockHash: Hex, address = settlement.address) =>
    chain.nodes.callFirst((node) => settledCentsOf(address, proof)(node, { blockHash }));
  expect([await centsAt(block), await centsAt(before), await centsAt(block, newAddress())]).toEqual([25n, 0n, 0n]);
});

test("an address without a contract reads as not deployed", async () => {
  const { proof } = await newProof();
  expect(await readSettlement(newAddress(), proof, chain.nodes)).toEqual({
    isDeployed: false,
    settledCents: 0n,
    allowance: 0n,
    balance: (await readSettlement(settlement.address, proof, chain.nodes)).balance,
  });
});

/** Gas, as documented in lib/decisions/0014-settlement-contract.md; document an increase there first. */
test("deploying, and settling for a key and for a contract wallet, cost the gas that the decision documents", async () => {
  const first = await newProof({ requestNumber: 20n });
  const ofKey = await settle(first.proof, first.signature);
  const wallet = newAddress();
  await chain.client.setCode({ address: wallet, bytecode: contractWallets.ownedBy(key.address) });
  await chain.mint(wallet, 10n ** 9n);
  await chain.approve(wallet, settlement.address, 10n ** 9n);
  const second = await newProof({ from: wallet });
  const ofWallet = await settle(second.proof, second.signature);
  const figures = { deploy: settlement.gasOfDeployment, key: ofKey.gasUsed, wallet: ofWallet.gasUsed };
  process.stdout.write(
    `gas of settlements: ${Object.entries(figures)
      .map((one) => one.join(" "))
      .join(", ")}\n`,
  );
  expect(figures.deploy).toBeLessThan(MAX_SETTLEMENT_GAS.deploy);
  expect(figures.key).toBeLessThan(MAX_SETTLEMENT_GAS.key);
  expect(figures.wallet).toBeLessThan(MAX_SETTLEMENT_GAS.wallet);
});
