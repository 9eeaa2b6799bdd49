// Verifies that an EVM wallet signed a text. A key's signature is checked locally; any other is checked on the chain, where the wallet may
// be a contract.

import { encodeDeployData, type Hex, hashMessage, isHex, parseAbi, parseSignature, recoverAddress, size, toHex } from "viem";
import checker from "../contracts/artifacts/proof-checker.json";
import { callWallet, randomSender, type SignatureVerdict, verifyContractSignature } from "./contract-wallet";
import { type EvmNodes, evmNodes } from "./nodes";
import { flag } from "./wire";

const KEY_SIGNATURE_BYTES = 65;
const HALF_OF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

const checkerAbi = parseAbi(["constructor(address from, bytes32 hash, bytes signature)"]);
/** The contract's gas limit for a wallet's check, with a margin. */
const GAS = 2_000_000;

/** @param address lower-case hex @param signature hex, as wallets return it for `personal_sign` */
export async function verifyEvmSignature(address: string, text: string, signature: string, nodes?: EvmNodes): Promise<SignatureVerdict> {
  if (!isHex(signature) || signature.length % 2 !== 0 || signature === "0x") return "invalid";
  const hash = hashMessage(text);
  if ((await findSigner(hash, signature)) === address) return "valid";
  return verifyContractSignature(address as Hex, hash, signature, nodes);
}

/** No wallet makes longer ones, and the settlement contract refuses them too. */
const MAX_PROOF_SIGNATURE_BYTES = 4_096;

/** Accepts exactly the signatures that the settlement contract would accept for `text`. @param from lower-case hex */
export async function verifyProofSignature(from: Hex, text: string, signature: string, nodes?: EvmNodes): Promise<SignatureVerdict> {
  if (!isHex(signature) || signature.length % 2 !== 0) return "invalid";
  return verifyHashSignature(from, { hash: hashMessage(text), signature }, nodes);
}

/**
 * Whether a signature over 32 bytes is valid on the chain: of a key, 65 bytes with a low s that end with 27 or 28; of a deployed contract
 * wallet, any that it accepts within the settlement contract's gas limit.
 * @param from lower-case hex
 */
export async function verifyHashSignature(
  from: Hex,
  { hash, signature }: { hash: Hex; signature: Hex },
  nodes?: EvmNodes,
): Promise<SignatureVerdict> {
  if (size(signature) > MAX_PROOF_SIGNATURE_BYTES) return "invalid";
  if (/1[bc]$/i.test(signature) && (await findSigner(hash, signature)) === from) return "valid";
  return verifyAtProofChecker(from, hash, signature, nodes);
}

/** The address whose key made this signature, lower case; null when it is no key's signature. */
async function findSigner(hash: Hex, signature: Hex): Promise<string | null> {
  if (size(signature) !== KEY_SIGNATURE_BYTES) return null;
  try {
    // Every signature has two forms; the chain rejects the form with the higher s (EIP-2).
    if (BigInt(parseSignature(signature).s) > HALF_OF_ORDER) return null;
    return (await recoverAddress({ hash, signature })).toLowerCase();
  } catch {
    return null; // not a point on the curve
  }
}

/**
 * With the code and the gas limit of the settlement contract: whether the contract at `from` accepts `signature` for `hash`; an address without
 * code accepts none.
 */
async function verifyAtProofChecker(from: Hex, hash: Hex, signature: Hex, nodes: EvmNodes = evmNodes()): Promise<SignatureVerdict> {
  const data = encodeDeployData({ abi: checkerAbi, bytecode: checker.bytecode as Hex, args: [from, hash, signature] });
  const call = { from: randomSender(), data, gas: toHex(GAS) };
  return callWallet(from, (node, at) => node.call("eth_call", [call, at], flag), nodes);
}
