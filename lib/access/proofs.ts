// Proofs: a challenge that came back signed. It must be exactly the text that was issued, for the same purpose, in time, and signed by
// the wallet that it names.

import { nowMs } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { changedField, type MessageField } from "@/lib/chains/sign-in-message";
import { verifySignature } from "@/lib/chains/verify-signature";
import { isSameWallet, readWallet, type WalletChain } from "@/lib/chains/wallet";
import { type Purpose, type StoredChallenge, takeChallenge } from "./challenges";

/** What a client sends back. */
export interface Proof {
  nonce: string;
  chain: WalletChain;
  address: string;
  /** The text as the wallet signed it. */
  message: string;
  /** Hex on EVM chains, base58 on Solana. */
  signature: string;
}

export type ProofRefusal =
  /** Used before, expired and deleted, issued for another purpose, or never issued. */
  | { reason: "nonce_unknown" }
  | { reason: "expired" }
  | { reason: "message_changed"; field: MessageField }
  | { reason: "bad_signature" }
  /** The wallet may be a contract, and no node could be reached. */
  | { reason: "contract_wallet_unavailable" };

type ProofOutcome = ({ ok: true } & Pick<StoredChallenge, "wallet" | "joining" | "absorbs" | "text">) | ({ ok: false } & ProofRefusal);

/** Uses up the challenge, even on failure, and returns the wallet that signed. `accountId` is null for signing in. */
export async function checkProof(proof: Proof, purpose: Purpose, accountId: AccountId | null): Promise<ProofOutcome> {
  const challenge = await takeChallenge(proof.nonce);
  if (challenge?.purpose !== purpose || challenge.accountId !== accountId) return { ok: false, reason: "nonce_unknown" };
  if (challenge.expiresAt.getTime() <= nowMs()) return { ok: false, reason: "expired" };
  const { wallet, joining, absorbs, text } = challenge;
  const named = readWallet(proof.chain, proof.address);
  if (!named || !isSameWallet(named, wallet)) return { ok: false, reason: "message_changed", field: "address" };
  const field = changedField(text, proof.message);
  if (field) return { ok: false, reason: "message_changed", field };
  const verdict = await verifySignature(wallet, text, proof.signature);
  if (verdict === "valid") return { ok: true, wallet, joining, absorbs, text };
  return { ok: false, reason: verdict === "invalid" ? "bad_signature" : "contract_wallet_unavailable" };
}
