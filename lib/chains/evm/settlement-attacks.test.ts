// Attacks by every other participant of a settlement: callers, tokens, contract wallets, clocks, and the deployment.

import { encodeDeployData, encodeFunctionData, type Hex, maxUint256, parseAbi, toFunctionSelector } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import settlementArtifact from "../contracts/artifacts/settlement.json";
import oddToken from "../contracts/testing/artifacts/odd-token.json";
import reenteringWallet from "../contracts/testing/artifacts/reentering-wallet.json";
import { findBlock } from "./blocks";
import { findSettleRefusal, readSettleRevert } from "./settled";
import {
  encodeSettle,
  type ProofTerms,
  proofText,
  readDeployedSettlement,
  type SettlementTerms,
  settlementAbi,
  settlementAddress,
  settlementDeployment,
} from "./settlement";
import { verifyProofSignature } from "./signature";
import { contractWallets } from "./testing/contract-wallets";
import { type SettlementChain, startSettlementChain } from "./testing/settlement-chain";
import { newAddress } from "./testing/usdc-chain";

const key = privateKeyToAccount(generatePrivateKey());
const payer = key.address.toLowerCase() as Hex;
const cents = 25n;
const units = 250_000n;

let chain: SettlementChain;
let settlement: SettlementTerms & { address: Hex };
let nowMs: bigint;

beforeAll(async () => {
  chain = await startSettlementChain();
  settlement = await chain.openSettlement({});
  await chain.mint(payer, 10n ** 12n);
  await chain.approve(payer, settlement.address, maxUint256);
  nowMs = BigInt((await findBlock("latest", chain.nodes))?.timestampS ?? 0) * 1_000n;
});
afterAll(() => chain?.stop());

const sign = (proof: ProofTerms, serviceName = "PennyPrompt") => key.signMessage({ message: proofText(serviceName, proof) });
const proofOf = (terms: Partial<ProofTerms> = {}): ProofTerms => ({ from: payer, requestNumber: 1n, cents, timestampMs: nowMs, ...terms });
const refusalOf = async (proof: ProofTerms, changed: { address?: Hex; relayer?: Hex; signature?: Hex } = {}) => {
  const { address, relayer } = settlement;
  return (await findSettleRefusal({ address, relayer, proof, signature: await sign(proof), ...changed }, chain.nodes))?.message ?? null;
};

test("only the relayer can settle: not the payer, the treasury, the token, the contract itself, or a stranger", async () => {
  expect(await refusalOf(proofOf())).toBeNull();
  for (const relayer of [payer, settlement.treasury, chain.usdc, settlement.address, newAddress(), `0x${"0".repeat(40)}`] as const)
    expect(await refusalOf(proofOf(), { relayer })).toBe("NotRelayer");
});

test("a proof is valid up to five minutes before and after the block's time, to the millisecond", async () => {
  for (const side of [1n, -1n]) {
    expect(await refusalOf(proofOf({ timestampMs: nowMs + side * 300_000n }))).toBeNull();
    expect(await refusalOf(proofOf({ timestampMs: nowMs + side * 300_001n }))).toBe("Expired");
  }
  for (const timestampMs of [0n, 2n ** 64n - 1n, nowMs / 1_000n]) expect(await refusalOf(proofOf({ timestampMs }))).toBe("Expired");
});

test("the contract builds the same text that the wallet signs, up to the highest numbers; higher ones cannot be encoded", async () => {
  for (const number of [0n, 1n, 10n ** 31n - 1n, 2n ** 128n - 1n])
    for (const amount of [1n, 10n, 2n ** 64n - 1n]) {
      const proof = proofOf({ requestNumber: number, cents: amount });
      const args = [number, amount, nowMs] as const;
      const text = await chain.client.readContract({ address: settlement.address, abi: settlementAbi, functionName: "proofText", args });
      expect(text).toBe(proofText("PennyPrompt", proof));
    }
  expect(() => encodeSettle(proofOf({ requestNumber: 2n ** 128n }), "0x")).toThrow();
  expect(() => encodeSettle(proofOf({ cents: 2n ** 64n }), "0x")).toThrow();
  // The same bytes with a number that is too high, as an attacker could build them by hand.
  const data = encodeSettle(proofOf({ requestNumber: 1n }), await sign(proofOf())).replace(
    /0{63}1/,
    `${"0".repeat(31)}1${"0".repeat(31)}1`,
  );
  await expect(chain.client.call({ account: settlement.relayer, to: settlement.address, data: data as Hex })).rejects.toThrow("reverted");
});

test("a proof for one service is invalid at any other service of the same operator", async () => {
  const other = await chain.openSettlement({ ...settlement, serviceName: "Another" });
  await chain.approve(payer, other.address, maxUint256);
  const signature = await sign(proofOf());
  expect(other.address).not.toBe(settlement.address);
  expect(await refusalOf(proofOf(), { address: other.address, signature })).toBe("BadSignature");
  expect(await refusalOf(proofOf(), { address: other.address, signature: await sign(proofOf(), "Another") })).toBeNull();
});

const oddTokenAbi = parseAbi([
  "function mint(address to, uint256 units)",
  "function behave(uint8 way, address settlement, bytes again)",
  "function relay(bytes data)",
  "function cameThrough() view returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
]);
const ways = ["honest", "takesFee", "givesMore", "movesNothing", "saysFalse", "paysAnother", "reenters"] as const;

/** A token that is its own relayer, so that it can call the contract again. */
async function settleWithOddToken(way: (typeof ways)[number], again?: ProofTerms) {
  const usdc = await chain.create(oddToken.bytecode as Hex);
  const odd = await chain.openSettlement({ usdc, relayer: usdc });
  const ask = (functionName: "mint" | "behave" | "relay", args: readonly unknown[]) =>
    chain.send(chain.minter.address, { to: usdc, data: encodeFunctionData({ abi: oddTokenAbi, functionName, args } as never) });
  await ask("mint", [payer, 4n * units]);
  await chain.send(payer, { to: usdc, data: encodeFunctionData({ abi: approveAbi, args: [odd.address, maxUint256] }) });
  const inner = again ? encodeSettle(again, await sign(again)) : "0x";
  await ask("behave", [ways.indexOf(way), odd.address, inner]);
  const data = encodeFunctionData({ abi: oddTokenAbi, functionName: "relay", args: [encodeSettle(proofOf(), await sign(proofOf()))] });
  const error: unknown = await chain.client.call({ account: payer, to: usdc, data }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error === null) await ask("relay", [encodeSettle(proofOf(), await sign(proofOf()))]);
  const balanceOf = (account: Hex) =>
    chain.client.readContract({ address: usdc, abi: oddTokenAbi, functionName: "balanceOf", args: [account] });
  const cameThrough = await chain.client.readContract({ address: usdc, abi: oddTokenAbi, functionName: "cameThrough" });
  return { reason: error && revertOf(error), left: await balanceOf(payer), came: await balanceOf(odd.treasury), cameThrough };
}

const approveAbi = parseAbi(["function approve(address spender, uint256 units)"]);

function revertOf(error: unknown): string {
  const found = error as { walk?: (is: (cause: unknown) => boolean) => { data?: Hex } | null };
  const { data } = found.walk?.((cause) => typeof (cause as { data?: unknown }).data === "string") ?? {};
  return data ? readSettleRevert(data).message : String(error);
}

test.each([
  ["honest", null],
  ["takesFee", "WrongAmountReceived"],
  ["givesMore", "WrongAmountReceived"],
  ["movesNothing", "WrongAmountReceived"],
  ["saysFalse", "reverted for an unknown reason"],
  ["paysAnother", "WrongAmountReceived"],
] as const)("with a token that is %s exactly the amount arrives, or nothing moves", async (way, reason) => {
  const moved = reason === null ? units : 0n;
  expect(await settleWithOddToken(way)).toMatchObject({ reason, left: 4n * units - moved, came: moved });
});

test("a token that is also the relayer and reenters with the same proof settles it once", async () => {
  const outcome = await settleWithOddToken("reenters", proofOf());
  expect(outcome).toEqual({ reason: null, left: 3n * units, came: units, cameThrough: false });
});

test("a token that reenters with another proof settles neither: more arrived than one proof signed for", async () => {
  const outcome = await settleWithOddToken("reenters", proofOf({ requestNumber: 2n }));
  expect(outcome).toEqual({ reason: "WrongAmountReceived", left: 4n * units, came: 0n, cameThrough: false });
});

const wallets = Object.entries({ ...contractWallets, ownedBy: contractWallets.ownedBy(payer) });

test.each(wallets)(
  "a contract wallet that is %s gets the same verdict on and off the chain, and burns no more than its gas share",
  async (name, code) => {
    const from = newAddress();
    await chain.client.setCode({ address: from, bytecode: code });
    await chain.mint(from, units);
    await chain.approve(from, settlement.address, units);
    const proof = proofOf({ from });
    for (const signature of [await sign(proof), "0x", `0x${"12".repeat(4_096)}`] as const) {
      const isTaken = name === "takesAll" || (name === "ownedBy" && signature.length === 132);
      const label = `${name}, ${signature.length}`;
      expect(await refusalOf(proof, { signature }), label).toBe(isTaken ? null : "BadSignature");
      expect(await verifyProofSignature(from, proofText("PennyPrompt", proof), signature, chain.nodes), label).toBe(
        isTaken ? "valid" : "invalid",
      );
      const call = { account: settlement.relayer, to: settlement.address, data: encodeSettle(proof, signature), gas: 900_000n };
      // Only enough gas for the wallet's share and the contract's own: an endless loop is distinguished from a lack of gas.
      expect(await chain.client.call(call).then(() => null, revertOf), label).toBe(isTaken ? null : "BadSignature");
    }
    const long = `0x${"12".repeat(4_097)}` as const;
    expect(await refusalOf(proof, { signature: long })).toBe("BadSignature");
    expect(await verifyProofSignature(from, proofText("PennyPrompt", proof), long, chain.nodes)).toBe("invalid");
  },
);

test("without enough gas for the wallet's share there is no verdict: the call reverts for lack of gas", async () => {
  const from = newAddress();
  await chain.client.setCode({ address: from, bytecode: contractWallets.takesAll });
  const call = { account: settlement.relayer, to: settlement.address, data: encodeSettle(proofOf({ from }), "0x"), gas: 400_000n };
  expect(await chain.client.call(call).catch(revertOf)).toBe("NotEnoughGas");
});

test("a key can sign for its account although the account has code (EIP-7702)", async () => {
  const other = privateKeyToAccount(generatePrivateKey());
  const from = other.address.toLowerCase() as Hex;
  await chain.mint(from, units);
  await chain.approve(from, settlement.address, units);
  await chain.client.setCode({ address: from, bytecode: `0xef0100${"12".repeat(20)}` });
  const proof = proofOf({ from });
  const signature = await other.signMessage({ message: proofText("PennyPrompt", proof) });
  expect(await verifyProofSignature(from, proofText("PennyPrompt", proof), signature, chain.nodes)).toBe("valid");
  expect(await refusalOf(proof, { signature })).toBeNull();
  expect(await refusalOf(proof, { signature: await sign(proof) })).toBe("BadSignature");
});

test("a wallet that is also the relayer and tries to settle during its own signature check changes nothing", async () => {
  const abi = parseAbi(["function prepare(address settlement, address token, bytes again)", "function relay(bytes data)"]);
  const wallet = await chain.create(reenteringWallet.bytecode as Hex);
  const own = await chain.openSettlement({ relayer: wallet });
  await chain.mint(wallet, 4n * units);
  const [proof, again] = [proofOf({ from: wallet }), encodeSettle(proofOf({ from: wallet, requestNumber: 2n }), "0x")];
  await chain.send(payer, {
    to: wallet,
    data: encodeFunctionData({ abi, functionName: "prepare", args: [own.address, chain.usdc, again] }),
  });
  await chain.send(payer, { to: wallet, data: encodeFunctionData({ abi, functionName: "relay", args: [encodeSettle(proof, "0x")] }) });
  const settled = (requestNumber: bigint) =>
    chain.client.readContract({ address: own.address, abi: settlementAbi, functionName: "settledCents", args: [wallet, requestNumber] });
  expect([await settled(1n), await settled(2n)]).toEqual([cents, 0n]);
});

test("anybody can deploy the contract, once, at its computed address, and its code identifies it as ours", async () => {
  const terms = { ...settlement, treasury: newAddress() };
  expect(await readDeployedSettlement(terms, chain.nodes)).toBe("absent");
  await chain.send(newAddress(), settlementDeployment(terms));
  expect(await readDeployedSettlement(terms, chain.nodes)).toBe("ours");
  await expect(chain.send(chain.minter.address, settlementDeployment(terms))).rejects.toThrow();
  await chain.client.setCode({ address: settlementAddress(terms), bytecode: "0x00" });
  expect(await readDeployedSettlement(terms, chain.nodes)).toBe("another");
  for (const [name, value] of [
    ["serviceName", "PennyPrompt"],
    ["usdc", chain.usdc],
    ["treasury", settlement.treasury],
    ["relayer", settlement.relayer],
  ] as const)
    expect(String(await chain.client.readContract({ address: settlement.address, abi: settlementAbi, functionName: name }))).toMatch(
      new RegExp(value, "i"),
    );
});

const nobody: Hex = `0x${"0".repeat(40)}`;
test.each([
  ["no word", { serviceName: "" }, "NotOneWord"],
  ["two words", { serviceName: "Penny Prompt" }, "NotOneWord"],
  ["a line break", { serviceName: "Penny\nPrompt" }, "NotOneWord"],
  ["another alphabet", { serviceName: "Pénny" }, "NotOneWord"],
  ["more than 31 letters", { serviceName: "a".repeat(32) }, "reverted for an unknown reason"],
  ["no token", { usdc: nobody }, "NoAddress"],
  ["no treasury", { treasury: nobody }, "NoAddress"],
  ["no relayer", { relayer: nobody }, "NoAddress"],
])("a contract of %s cannot be deployed", async (_, changed, reason) => {
  const { serviceName, usdc, treasury, relayer } = { ...settlement, ...changed };
  const args = [serviceName, usdc, treasury, relayer] as const;
  const data = encodeDeployData({ abi: settlementAbi, bytecode: settlementArtifact.bytecode as Hex, args });
  expect(await chain.client.call({ data }).then(() => null, revertOf)).toBe(reason);
});

test("it has no function but its getters and settle, and accepts no ETH", async () => {
  const functions = settlementArtifact.abi.filter(({ type }) => type === "function") as { name: string; stateMutability: string }[];
  expect(functions.filter(({ stateMutability }) => stateMutability !== "view").map(({ name }) => name)).toEqual(["settle"]);
  expect(settlementArtifact.abi.map(({ type }) => type)).not.toContain("receive");
  expect(settlementArtifact.abi.map(({ type }) => type)).not.toContain("fallback");
  const call = { account: chain.minter.address, to: settlement.address, value: 1n };
  for (const data of ["0x", encodeSettle(proofOf(), await sign(proofOf())), toFunctionSelector("relayer()")] as const)
    await expect(chain.client.call({ ...call, data })).rejects.toThrow("reverted");
});
