import { randomBytes } from "node:crypto";
import { type Hex, keccak256, parseAbi, parseSignature, toBytes, toHex } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import artifact from "../contracts/artifacts/test-usdc.json";
import { readBalances } from "./balances";
import { findBlock } from "./blocks";
import { contractWallets } from "./testing/contract-wallets";
import { newAddress, startUsdcChain, type UsdcChain } from "./testing/usdc-chain";
import { isAuthorizationUsed, isBlacklisted, isPaused } from "./token-state";
import { estimateGas } from "./transactions";
import {
  type Authorization,
  authorizationHash,
  authorizationTypedData,
  encodeAuthorizedTransfer,
  usdcAbi,
  usdcAddress,
  usdcDomain,
} from "./usdc";

const minterAbi = parseAbi([
  "function pause()",
  "function unpause()",
  "function blacklist(address account)",
  "function unBlacklist(address account)",
  "function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
]);

const HOUR_S = 3_600;

let chain: UsdcChain;
let relayer: PrivateKeyAccount;
beforeAll(async () => {
  chain = await startUsdcChain();
  relayer = await chain.newAccount();
});
afterAll(() => chain?.stop());
afterEach(() => callAsMinter("unpause", []));

const mined = async (sent: Promise<Hex>) => chain.client.waitForTransactionReceipt({ hash: await sent });

type MinterCall = "pause" | "unpause" | "blacklist" | "unBlacklist";

async function callAsMinter(functionName: MinterCall, args: readonly [] | readonly [Hex]): Promise<void> {
  await mined(chain.client.writeContract({ address: chain.usdc, abi: minterAbi, functionName, args, account: chain.minter } as never));
}

async function chainTime(): Promise<number> {
  return Number((await chain.client.getBlock()).timestamp);
}

async function authorize(from: Hex, more: Partial<Authorization> = {}): Promise<Authorization> {
  const validBefore = BigInt((await chainTime()) + HOUR_S);
  const nonce = toHex(randomBytes(32));
  return { from, to: newAddress(), value: 1_000_000n, validAfter: 0n, validBefore, nonce, ...more };
}

const sign = (account: PrivateKeyAccount, authorization: Authorization, chainId = chain.chainId) =>
  account.signTypedData(authorizationTypedData(authorization, chainId));

const send = async (data: Hex) =>
  (await mined(chain.client.sendTransaction({ account: relayer, to: chain.usdc, data, gas: 300_000n }))).status;

/** Why the chain would refuse the call. */
async function refusal(data: Hex, from: Hex = relayer.address): Promise<string> {
  const estimate = await estimateGas({ from, to: chain.usdc, data }, chain.nodes);
  return estimate.kind === "reverts" ? estimate.reason : "none";
}

async function balanceOf(address: Hex): Promise<bigint> {
  const latest = await findBlock("latest", chain.nodes);
  const [units = -1n] = await readBalances({ token: chain.usdc, accounts: [address], blockHash: latest?.hash ?? "0x" }, chain.nodes);
  return units;
}

test("the test token has real USDC's address, metadata and EIP-712 domain", async () => {
  expect(chain.usdc).toBe(usdcAddress(8_453));
  const domain = usdcDomain(chain.chainId);
  const type = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
  const words = [keccak256(toBytes(type)), keccak256(toBytes(domain.name)), keccak256(toBytes(domain.version))];
  const rest = `${chain.chainId.toString(16).padStart(64, "0")}${domain.verifyingContract.slice(2).padStart(64, "0")}`;
  const separator = keccak256(`0x${words.map((word) => word.slice(2)).join("")}${rest}`);
  const read = (functionName: string) => chain.client.readContract({ address: chain.usdc, abi: artifact.abi, functionName });
  expect(await read("DOMAIN_SEPARATOR")).toBe(separator);
  expect([await read("name"), await read("symbol"), await read("decimals"), await read("version")]).toEqual(["USD Coin", "USDC", 6, "2"]);
  expect(await read("minter")).toBe(chain.minter.address);
});

test("anybody may carry out an authorization, once, with either form of its signature", async () => {
  const owner = await chain.newAccount(5_000_000n);
  const first = await authorize(owner.address);
  const signature = await sign(owner, first);
  const data = encodeAuthorizedTransfer(first, signature);
  expect(await send(data)).toBe("success");
  expect(await balanceOf(first.to)).toBe(1_000_000n);
  expect(await send(data)).toBe("reverted");
  expect(await refusal(data)).toBe("FiatTokenV2: authorization is used or canceled");

  const second = await authorize(owner.address);
  const { r, s, v } = parseSignature(await owner.sign({ hash: authorizationHash(second, chain.chainId) }));
  const { from, to, value, validAfter, validBefore, nonce } = second;
  const args = [from, to, value, validAfter, validBefore, nonce, Number(v), r, s] as const;
  const functionName = "transferWithAuthorization";
  await mined(chain.client.writeContract({ address: chain.usdc, abi: usdcAbi, functionName, args, account: relayer }));
  expect(await balanceOf(second.to)).toBe(1_000_000n);
  expect(await balanceOf(owner.address)).toBe(3_000_000n);
  expect(await isAuthorizationUsed(owner.address, nonce, chain.nodes)).toBe(true);
  expect(await isAuthorizationUsed(owner.address, toHex(randomBytes(32)), chain.nodes)).toBe(false);
});

test("an authorization is valid only for its domain, signer, fields and time", async () => {
  const owner = await chain.newAccount(5_000_000n);
  const good = await authorize(owner.address);
  const now = BigInt(await chainTime());
  const invalid = "FiatTokenV2: invalid signature";
  expect(await refusal(encodeAuthorizedTransfer(good, await sign(owner, good, 8_453)))).toBe(invalid);
  expect(await refusal(encodeAuthorizedTransfer(good, await sign(relayer, good)))).toBe(invalid);
  expect(await refusal(encodeAuthorizedTransfer({ ...good, value: 2_000_000n }, await sign(owner, good)))).toBe(invalid);
  expect(await refusal(encodeAuthorizedTransfer(good, "0x1234"))).toBe(invalid);
  const expired = { ...good, validBefore: now - 1n };
  expect(await refusal(encodeAuthorizedTransfer(expired, await sign(owner, expired)))).toBe("FiatTokenV2: authorization is expired");
  const early = { ...good, validAfter: now + BigInt(HOUR_S), validBefore: now + BigInt(2 * HOUR_S) };
  expect(await refusal(encodeAuthorizedTransfer(early, await sign(owner, early)))).toBe("FiatTokenV2: authorization is not yet valid");
  const tooMuch = { ...good, value: 5_000_001n };
  expect(await refusal(encodeAuthorizedTransfer(tooMuch, await sign(owner, tooMuch)))).toBe("ERC20: transfer amount exceeds balance");
  expect(await refusal(encodeAuthorizedTransfer(good, await sign(owner, good)))).toBe("none");
});

test("a paused token moves nothing, and moves again once unpaused", async () => {
  const owner = await chain.newAccount(5_000_000n);
  const authorization = await authorize(owner.address);
  const data = encodeAuthorizedTransfer(authorization, await sign(owner, authorization));
  await callAsMinter("pause", []);
  expect(await refusal(data)).toBe("Pausable: paused");
  expect(await isPaused(chain.nodes)).toBe(true);
  await expect(chain.mint(owner.address, 1n)).rejects.toThrow("paused");
  await callAsMinter("unpause", []);
  expect(await isPaused(chain.nodes)).toBe(false);
  expect(await send(data)).toBe("success");
});

test("a blacklisted address can neither send nor receive, and the token's own address can never receive", async () => {
  const owner = await chain.newAccount(5_000_000n);
  const authorization = await authorize(owner.address);
  const data = encodeAuthorizedTransfer(authorization, await sign(owner, authorization));
  const refused = "Blacklistable: account is blacklisted";
  for (const address of [owner.address, authorization.to]) {
    await callAsMinter("blacklist", [address]);
    expect(await refusal(data)).toBe(refused);
    expect(await isBlacklisted(address, chain.nodes)).toBe(true);
    await callAsMinter("unBlacklist", [address]);
  }
  expect(await refusal(data)).toBe("none");
  expect(await isBlacklisted(owner.address, chain.nodes)).toBe(false);
  expect(await isBlacklisted(chain.usdc, chain.nodes)).toBe(true);
  const lost = await authorize(owner.address, { to: chain.usdc });
  expect(await refusal(encodeAuthorizedTransfer(lost, await sign(owner, lost)))).toBe(refused);
});

test("a contract wallet's authorization is valid when its owner signed it", async () => {
  const owner = privateKeyToAccount(generatePrivateKey());
  const wallet = newAddress();
  await chain.client.setCode({ address: wallet, bytecode: contractWallets.ownedBy(owner.address) });
  await chain.mint(wallet, 2_000_000n);
  const authorization = await authorize(wallet);
  expect(await refusal(encodeAuthorizedTransfer(authorization, await sign(relayer, authorization)))).toBe("FiatTokenV2: invalid signature");
  expect(await send(encodeAuthorizedTransfer(authorization, await sign(owner, authorization)))).toBe("success");
  expect(await balanceOf(authorization.to)).toBe(1_000_000n);
});

test("only the payee can call receiveWithAuthorization, a cancelled authorization is void, and a permit gives an allowance", async () => {
  const owner = await chain.newAccount(5_000_000n);
  const payee = await chain.newAccount();
  const authorization = await authorize(owner.address, { to: payee.address });
  const { domain, types, message } = authorizationTypedData(authorization, chain.chainId);
  const received = { domain, types: { ReceiveWithAuthorization: types.TransferWithAuthorization }, message } as const;
  const signature = await owner.signTypedData({ ...received, primaryType: "ReceiveWithAuthorization" });
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const args = [from, to, value, validAfter, validBefore, nonce, signature] as const;
  const receive = { address: chain.usdc, abi: usdcAbi, functionName: "receiveWithAuthorization", args } as const;
  await expect(chain.client.writeContract({ ...receive, account: relayer })).rejects.toThrow("caller must be the payee");
  await mined(chain.client.writeContract({ ...receive, account: payee }));
  expect(await balanceOf(payee.address)).toBe(1_000_000n);

  const other = await authorize(owner.address);
  const cancelTypes = {
    CancelAuthorization: [
      { name: "authorizer", type: "address" },
      { name: "nonce", type: "bytes32" },
    ],
  } as const;
  const cancelled = { authorizer: owner.address, nonce: other.nonce };
  const cancel = await owner.signTypedData({ domain, types: cancelTypes, primaryType: "CancelAuthorization", message: cancelled });
  const cancelArgs = [owner.address, other.nonce, cancel] as const;
  await mined(
    chain.client.writeContract({
      address: chain.usdc,
      abi: usdcAbi,
      functionName: "cancelAuthorization",
      args: cancelArgs,
      account: relayer,
    }),
  );
  const dead = encodeAuthorizedTransfer(other, await sign(owner, other));
  expect(await refusal(dead)).toBe("FiatTokenV2: authorization is used or canceled");

  const names = ["owner", "spender", "value", "nonce", "deadline"];
  const permitTypes = { Permit: names.map((name, index) => ({ name, type: index < 2 ? "address" : "uint256" })) };
  const permit = { owner: owner.address, spender: payee.address, value: 7n, nonce: 0n, deadline: validBefore };
  const permitted = await owner.signTypedData({ domain, types: permitTypes, primaryType: "Permit", message: permit });
  const permitArgs = [owner.address, payee.address, 7n, validBefore, permitted] as const;
  await mined(
    chain.client.writeContract({ address: chain.usdc, abi: minterAbi, functionName: "permit", args: permitArgs, account: relayer }),
  );
  const allowance = { address: chain.usdc, abi: minterAbi, functionName: "allowance", args: [owner.address, payee.address] } as const;
  expect(await chain.client.readContract(allowance)).toBe(7n);
});

test("only the minter can mint, pause or blacklist", async () => {
  const call = { address: chain.usdc, abi: minterAbi, account: relayer } as const;
  const refused = "caller is not a minter";
  await expect(chain.client.writeContract({ ...call, functionName: "pause" })).rejects.toThrow(refused);
  await expect(chain.client.writeContract({ ...call, functionName: "blacklist", args: [relayer.address] })).rejects.toThrow(refused);
});
