// The signer that derives from a seed. No key leaves this file: an xpub together with one child's private key gives away every
// key below it.

import { base58 } from "@scure/base";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { ATTESTATION_INDEX, type AttestedAddresses, attestedHash, deriveBaseAddress } from "./addresses";
import { Seed } from "./seed";
import type { Signer } from "./signer";
import { deriveTokenAccount } from "./token-account";

/** A sandbox's mint is an address of its own seed, so that no account of it exists on any public chain. */
const SANDBOX_MINT_INDEX = 0x7fff_ffff;

type Mode = "sandbox" | "live";

/** The signer of a seed's words. */
export async function openSigner(words: string, mode: Mode): Promise<Signer> {
  return new SeedSigner(await Seed.fromWords(words), mode);
}

/** The BIP-32 fingerprint of a seed's words. */
export const fingerprintOf = async (words: string): Promise<string> => (await Seed.fromWords(words)).fingerprint;

class SeedSigner implements Signer {
  readonly fingerprint: string;
  readonly xpub: string;
  readonly usdcMint: string;
  readonly #seed: Seed;

  constructor(seed: Seed, mode: Mode) {
    this.#seed = seed;
    this.fingerprint = seed.fingerprint;
    this.xpub = seed.baseAccount().publicExtendedKey;
    this.usdcMint = mode === "live" ? USDC_MINT : this.#solanaAddress(SANDBOX_MINT_INDEX);
  }

  makeAddresses(index: number): AttestedAddresses {
    const account = this.#seed.baseAccount();
    const solanaAddress = this.#solanaAddress(index);
    const addresses = {
      index,
      baseAddress: deriveBaseAddress(account, index),
      solanaAddress,
      solanaTokenAccount: deriveTokenAccount(solanaAddress, this.usdcMint),
    };
    const attestation = Buffer.from(account.deriveChild(ATTESTATION_INDEX).sign(attestedHash(addresses)));
    return { ...addresses, attestation };
  }

  #solanaAddress(index: number): string {
    return base58.encode(this.#seed.solanaKey(index).publicKeyRaw);
  }
}
