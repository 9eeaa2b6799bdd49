// USDC on EVM chains: its addresses, its calls, and EIP-3009 authorizations, with which an owner without gas lets anybody move an amount
// once.

import { decodeFunctionData, encodeFunctionData, type Hex, hashTypedData, parseAbi } from "viem";

/** The part of Circle's FiatToken v2.2 that this service calls. */
export const usdcAbi = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "function balanceOf(address account) view returns (uint256)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function approve(address spender, uint256 value) returns (bool)",
  "function paused() view returns (bool)",
  "function isBlacklisted(address account) view returns (bool)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
]);

/** USDC's address on Base; a sandbox's chain has its test token there. */
export const usdcOnBase: Hex = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";

const BASE_SEPOLIA = 84_532;
const tokens: ReadonlyMap<number, { address: Hex; name: string }> = new Map([
  [8_453, { address: usdcOnBase, name: "USD Coin" }],
  [31_337, { address: usdcOnBase, name: "USD Coin" }],
  [BASE_SEPOLIA, { address: "0x036cbd53842c5426634e7929541ec2318f3dcf7e", name: "USDC" }],
]);

/** USDC's address, lower case; null on a chain without a known USDC. */
export const findUsdc = (chainId: number): Hex | null => tokens.get(chainId)?.address ?? null;

function tokenOn(chainId: number) {
  const token = tokens.get(chainId);
  if (!token) throw new Error(`USDC's address on chain ${chainId} is not known: set BASE_CHAIN_ID to ${[...tokens.keys()].join(", ")}.`);
  return token;
}

/** USDC's address, lower case. @throws Error on an unknown chain */
export const usdcAddress = (chainId: number): Hex => tokenOn(chainId).address;

/** The EIP-712 domain of USDC's signatures. */
export function usdcDomain(chainId: number) {
  const { address, name } = tokenOn(chainId);
  return { name, version: "2", chainId, verifyingContract: address } as const;
}

/** EIP-3009. Times in Unix seconds: valid after `validAfter` and before `validBefore`. */
export interface Authorization {
  from: Hex;
  to: Hex;
  /** USDC base units. */
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  /** 32 random bytes, used once. */
  nonce: Hex;
}

const authorizationFields = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const;

/** The typed data that the owner of `from` signs, for `eth_signTypedData_v4` and viem. */
export function authorizationTypedData(authorization: Authorization, chainId: number) {
  return {
    domain: usdcDomain(chainId),
    types: { TransferWithAuthorization: authorizationFields },
    primaryType: "TransferWithAuthorization",
    message: { ...authorization },
  } as const;
}

/** The 32-byte hash that a key signs. */
export const authorizationHash = (authorization: Authorization, chainId: number): Hex =>
  hashTypedData(authorizationTypedData(authorization, chainId));

/** Calldata that carries out an authorization; its sender pays the gas. `signature` may be a contract wallet's (ERC-1271). */
export function encodeAuthorizedTransfer({ from, to, value, validAfter, validBefore, nonce }: Authorization, signature: Hex): Hex {
  const args = [from, to, value, validAfter, validBefore, nonce, signature] as const;
  return encodeFunctionData({ abi: usdcAbi, functionName: "transferWithAuthorization", args });
}

/** Whom an authorized transfer moves USDC from and to; null for any other call, and for calldata with anything behind it. */
export function readAuthorizedTransfer(data: Hex): { from: Hex; to: Hex } | null {
  try {
    const { functionName, args } = decodeFunctionData({ abi: transferAbi, data });
    if (encodeFunctionData({ abi: transferAbi, functionName, args }) !== data.toLowerCase()) return null;
    const [from, to] = args;
    return { from, to };
  } catch {
    return null;
  }
}

const transferAbi = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
]);

/** Calldata of an owner's approval for `spender` to take up to `value`; 0 revokes it. */
export const encodeApproval = (spender: Hex, value: bigint): Hex =>
  encodeFunctionData({ abi: usdcAbi, functionName: "approve", args: [spender, value] });

/** Calldata of an owner's transfer. */
export const encodeTransfer = (to: Hex, value: bigint): Hex =>
  encodeFunctionData({ abi: usdcAbi, functionName: "transfer", args: [to, value] });
