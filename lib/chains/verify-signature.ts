// Verifies a wallet's signature of a text, on either chain.

import type { SignatureVerdict } from "./evm/contract-wallet";
import { verifyEvmSignature } from "./evm/signature";
import { isSolanaSignature } from "./solana/signature";
import type { Wallet } from "./wallet";

/** @param signature hex on EVM chains, base58 on Solana */
export async function verifySignature({ chain, address }: Wallet, text: string, signature: string): Promise<SignatureVerdict> {
  if (chain === "evm") return verifyEvmSignature(address, text, signature);
  return isSolanaSignature(address, text, signature) ? "valid" : "invalid";
}
