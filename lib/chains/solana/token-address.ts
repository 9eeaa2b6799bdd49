// The USDC account of a Solana address: the associated token account, an address derived from owner and mint.

import { createHash } from "node:crypto";
import { base58 } from "@scure/base";

const TOKEN_PROGRAM = base58.decode("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
const ASSOCIATED_TOKEN_PROGRAM = base58.decode("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");

/** The account of `owner` for tokens of `mint`; both and the result are base58. */
export function deriveTokenAccount(owner: string, mint: string): string {
  const seeds = [base58.decode(owner), TOKEN_PROGRAM, base58.decode(mint)];
  return base58.encode(findProgramAddress(seeds, ASSOCIATED_TOKEN_PROGRAM));
}

/** Solana's program-derived address: the first hash, counting the bump down from 255, that is off the curve and so has no private key. */
function findProgramAddress(seeds: readonly Uint8Array[], program: Uint8Array): Uint8Array {
  for (let bump = 255; bump >= 0; bump--) {
    const hash = createHash("sha256");
    for (const part of [...seeds, Uint8Array.of(bump), program]) hash.update(part);
    const address = hash.update("ProgramDerivedAddress").digest();
    if (!isOnCurve(address)) return address;
  }
  throw new Error("assertion failed: one of 256 hashes is not on the curve");
}

// Ed25519: -x² + y² = 1 + dx²y² over the field of P (RFC 8032, 5.1).
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/**
 * True when the 32 bytes are a point on the curve, so a possible public key. web3.js has this too, but loading it takes longer than the
 * rest of a start.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`) & (2n ** 255n - 1n); // the top bit is the sign of x
  if (y >= P) return false;
  const ySquared = (y * y) % P;
  // x² = u/v, which has a root when uv is a square (Euler); v is never zero on this curve.
  const u = ySquared - 1n;
  const v = D * ySquared + 1n;
  const isSquare = power((((u * v) % P) + P) % P, (P - 1n) / 2n);
  return isSquare <= 1n;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % P;
    if (bit === "1") result = (result * base) % P;
  }
  return result;
}
