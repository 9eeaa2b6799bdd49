// The settlement contract is deployed once, however often and by however many processes, and the relayer's nonces stay correct.

import { type Hex, keccak256 } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { hasCode } from "@/lib/chains/evm/balances";
import {
  deterministicDeployer,
  readDeployedSettlement,
  type SettlementTerms,
  settlementAddress,
  settlementDeployment,
} from "@/lib/chains/evm/settlement";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { findRelayed } from "@/lib/relay/relayed";
import { noncesOf, type RelayedChain, startRelayedChain } from "@/lib/relay/testing/relayed-chain";
import { deploySettlement } from "./deploy-settlement";

await openTestDatabase();
let chain: RelayedChain;
let terms: SettlementTerms;
beforeAll(async () => {
  chain = await startRelayedChain();
});
beforeEach(() => {
  terms = { serviceName: "PennyPrompt", usdc: chain.usdc, treasury: newAddress(), relayer: chain.relayer.address };
});
afterAll(() => chain?.stop());

const deploy = (options: { waitMs?: number; onCost?: (cost: { gas: bigint; maxWei: bigint }) => void } = {}) =>
  deploySettlement(terms, { nodes: chain.nodes, ...options });
const idOf = () => `settlement_deploy_${settlementAddress(terms)}`;

test("of several concurrent deployments one deploys it, after reporting the cost; later deployments cost nothing", async () => {
  const before = (await noncesOf(chain)).length;
  const costs: bigint[] = [];
  const outcomes = await Promise.all([0, 1, 2].map(() => deploy({ onCost: ({ maxWei }) => costs.push(maxWei) })));
  expect(outcomes.map(({ kind }) => kind)).toContain("deployed");
  const [first] = outcomes.filter((one) => one.kind === "deployed");
  expect(first?.address).toBe(settlementAddress(terms));
  expect(first?.feeWei).toBeGreaterThan(0n);
  expect(first?.feeWei).toBeLessThanOrEqual(costs[0] ?? 0n);
  expect(await readDeployedSettlement(terms, chain.nodes)).toBe("ours");
  expect(await deploy()).toEqual({ kind: "was_there", address: settlementAddress(terms) });
  expect(await noncesOf(chain)).toHaveLength(before + 1);
});

test("while no block includes it, it is reported as pending, and a repeated deployment follows the same transaction", async () => {
  await chain.client.setAutomine(false);
  const first = await deploy({ waitMs: 50 });
  expect(first).toMatchObject({ kind: "on_its_way", problem: null });
  expect(await deploy({ waitMs: 50 })).toEqual(first);
  await chain.client.setAutomine(true);
  await chain.mine(1);
  expect(await deploy()).toMatchObject({ kind: "was_there" });
  expect(await findRelayed([`${idOf()}_2`])).toEqual([]);
});

test("when somebody else deploys it first, the deployment succeeds as already there", async () => {
  const other = await chain.newAccount();
  await chain.client.setAutomine(false);
  await deploy({ waitMs: 50 });
  const deployment = { ...settlementDeployment(terms), gas: 5_000_000n };
  await chain.client.sendTransaction({ account: other, ...deployment, maxPriorityFeePerGas: 10n ** 10n, maxFeePerGas: 2n * 10n ** 10n });
  await chain.client.setAutomine(true);
  await chain.mine(1);
  await chain.round();
  expect(await findRelayed([idOf()])).toMatchObject([{ state: "failed" }]);
  expect(await deploy()).toMatchObject({ kind: "was_there" });
  const nonces = await noncesOf(chain);
  expect(nonces).toEqual(nonces.map((_, index) => index));
});

test("without gas money nothing is stored, and the message says how much to send to which address", async () => {
  const { address } = chain.relayer;
  const held = await chain.client.getBalance({ address });
  await chain.client.setBalance({ address, value: 10n ** 12n });
  const message = new RegExp(`The relayer ${address} has 0\\.000001 ETH, and the deployment can cost up to 0\\.\\d+ ETH\\. Send it`);
  await expect(deploy()).rejects.toThrow(message);
  expect(await findRelayed([idOf()])).toEqual([]);
  await chain.client.setBalance({ address, value: held });
  expect(await deploy()).toMatchObject({ kind: "deployed" });
});

test("on a chain without the deployer, and for a service name that no contract accepts, the message says what to do", async () => {
  const code = await chain.client.getCode({ address: deterministicDeployer });
  expect(keccak256(code ?? "0x")).toBe("0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989");
  await chain.client.setCode({ address: deterministicDeployer, bytecode: "0x" });
  await expect(deploy()).rejects.toThrow(/Chain 31337 has no deterministic deployer at 0x4e59\w+, .*deterministic-deployment-proxy/);
  await chain.client.setCode({ address: deterministicDeployer, bytecode: code as Hex });
  terms = { ...terms, serviceName: "a".repeat(32) };
  await expect(deploy()).rejects.toThrow(/SERVICE_NAME must be one word of at most 31 letters/);
  expect(await hasCode(settlementAddress(terms), chain.nodes)).toBe(false);
  expect(await noncesOf(chain)).toHaveLength(await chain.client.getTransactionCount({ address: chain.relayer.address }));
});
