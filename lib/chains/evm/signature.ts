// Whose EVM wallet signed a text. A key's own signature is checked here alone; only what is none is asked of the chain, where a
// contract may be the wallet.

import { type Hex, hashMessage, isHex, parseSignature, recoverAddress, size } from "viem";
import { type SignatureVerdict, verifyContractSignature } from "./contract-wallet";

const KEY_SIGNATURE_BYTES = 65;
const HALF_OF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** @param address lower-case hex @param signature hex, as wallets return it for `personal_sign` */
export async function verifyEvmSignature(address: string, text: string, signature: string): Promise<SignatureVerdict> {
  if (!isHex(signature) || signature.length % 2 !== 0 || signature === "0x") return "invalid";
  const hash = hashMessage(text);
  if ((await findSigner(hash, signature)) === address) return "valid";
  return verifyContractSignature(address as Hex, hash, signature);
}

/** The address whose key made this signature, lower case; null when it is no key's signature. */
async function findSigner(hash: Hex, signature: Hex): Promise<string | null> {
  if (size(signature) !== KEY_SIGNATURE_BYTES) return null;
  try {
    // Of the two signatures that any one can be turned into, the one with the higher s counts nowhere on the chain (EIP-2).
    if (BigInt(parseSignature(signature).s) > HALF_OF_ORDER) return null;
    return (await recoverAddress({ hash, signature })).toLowerCase();
  } catch {
    return null; // no point of the curve: bytes of another form
  }
}
