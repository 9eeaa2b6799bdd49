// Verifies signatures of contract wallets with the same code and gas limit as the settlement contract.

import { encodeDeployData, type Hex, parseAbi, toHex } from "viem";
import checker from "../contracts/artifacts/proof-checker.json";
import { callWallet, randomSender, type SignatureVerdict } from "./contract-wallet";
import { type EvmNodes, evmNodes } from "./nodes";
import { flag } from "./wire";

const checkerAbi = parseAbi(["constructor(address from, bytes32 hash, bytes signature)"]);
/** The contract's gas limit for a wallet's check, with a margin. */
const GAS = 2_000_000;

/** Whether the contract at `from` accepts `signature` for `hash`; an address without code accepts none. */
export async function verifyAtProofChecker(from: Hex, hash: Hex, signature: Hex, nodes: EvmNodes = evmNodes()): Promise<SignatureVerdict> {
  const data = encodeDeployData({ abi: checkerAbi, bytecode: checker.bytecode as Hex, args: [from, hash, signature] });
  const call = { from: randomSender(), data, gas: toHex(GAS) };
  return callWallet(from, (node, at) => node.call("eth_call", [call, at], flag), nodes);
}
