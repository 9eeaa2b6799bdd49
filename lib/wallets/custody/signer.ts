// The signer's interface, the only way to use the seed. Each request is one of the product's own operations; the only caller-provided bytes
// it signs are payments to the treasury whose fee its sponsor pays. Only a process with the `jobs` role has a signer: in live mode that of
// another process, behind a socket.

import type { Hex } from "viem";
import { processSingleton } from "@/lib/base/process-singleton";
import type { Authorization } from "@/lib/chains/evm/usdc";
import type { RecentBlockhash } from "@/lib/chains/solana/transactions";
import type { CallCost } from "@/lib/relay/calls";
import type { Relayer } from "@/lib/relay/relayer";
import type { Sponsor } from "@/lib/relay/sponsor";
import type { AttestedAddresses } from "./addresses";
import type { SignedOrder } from "./withdrawal-order";

/** The operator's own addresses: sweeps go there, and withdrawals are paid from there. */
export interface Treasury {
  base: Hex;
  /** The owner address; pays the fees of our own transactions on Solana, so it holds SOL too. */
  solana: string;
}

/** A sweep of one custodial address. The chain carries out one authorization per 32-byte nonce. */
export interface BaseSweep extends Pick<Authorization, "value" | "validAfter" | "validBefore" | "nonce"> {
  index: number;
}

export interface AuthorizedSweep {
  /** Always to the treasury. */
  authorization: Authorization;
  signature: Hex;
}

export interface SolanaSweep {
  /** Each sends `units`, in USDC base units. */
  owners: readonly { index: number; units: bigint }[];
  blockhash: string;
}

/** A transaction whose fee the treasury pays. */
export interface SignedSweep {
  bytes: Buffer;
  /** The treasury's, by which the cluster knows the transaction. */
  signature: string;
}

export interface AuthorizedPayout {
  /** From the treasury, to the order's destination. */
  authorization: Authorization;
  signature: Hex;
}

/** A transaction that pays an order. The signer chose its blockhash, whose end its memory of the order relies on. */
export interface SignedPayout extends Omit<RecentBlockhash, "blockhash"> {
  bytes: Buffer;
  /** The treasury's, by which the cluster knows the transaction. */
  signature: string;
}

/** Every method rejects with SignerUnavailable while the signer cannot be reached. */
export interface Signer {
  /** BIP-32 fingerprint of the seed, 8 hexadecimal digits. */
  readonly fingerprint: string;
  /** Public half of m/44'/60'/0'/0. */
  readonly xpub: string;
  /** The Solana mint that its token accounts are for. */
  readonly usdcMint: string;
  readonly treasury: Treasury;
  /** Pays gas on Base for calls of USDC and of the settlement contract, and for nothing else. */
  readonly relayer: Relayer;
  /** Pays the fees of payments on Solana that their payers signed, without being a party: it holds SOL, never USDC. */
  readonly sponsor: Sponsor;
  /** The addresses of a derivation index, attested by this signer. */
  deriveAddresses(index: number): Promise<AttestedAddresses>;
  /** Lets anybody move an amount from a custodial address to the treasury, once. */
  signSweepOnBase(sweep: BaseSweep): Promise<AuthorizedSweep>;
  /**
   * A transaction that moves amounts of custodial addresses to the treasury, which pays its fee.
   * @throws Error when the owners do not fit into one transaction
   */
  signSweepOnSolana(sweep: SolanaSweep): Promise<SignedSweep>;
  /** A transaction that creates the treasury's own USDC account, and does nothing when it exists. */
  signTreasuryAccountOnSolana(blockhash: string): Promise<SignedSweep>;
  /**
   * Checks an order's signatures, and takes nothing for it. A valid one counts for a minute, so that the order can then be signed without
   * asking a node about it: ask before anything is locked.
   * @throws PayoutRefused
   */
  checkPayout(order: SignedOrder): Promise<void>;
  /**
   * Lets anybody move an order's amount from the treasury to its destination, once and within the hour: USDC accepts one authorization per
   * signed text. It also takes the highest cost of the relayer's transaction from the fee budget, so that the relayer does not refuse a
   * payout that the limit counts.
   * @throws PayoutRefused when a check fails
   */
  signPayoutOnBase(order: SignedOrder, cost: CallCost): Promise<AuthorizedPayout>;
  /**
   * A transaction that pays an order from the treasury. Each call gives a different transaction, so the nodes must first confirm that the
   * last one is lost.
   * @throws PayoutRefused when a check fails, or the order was or may be paid
   * @throws SolanaUnavailable when the nodes cannot give a blockhash, or cannot say what happened to the last one
   */
  signPayoutOnSolana(order: SignedOrder): Promise<SignedPayout>;
}

const holder = processSingleton<{ signer?: Signer }>("signer", () => ({}));

/** Sets this process's signer; undefined removes it. */
export function setSigner(signer: Signer | undefined): void {
  holder().signer = signer;
}

/** @throws Error in a process without the jobs role */
export function signer(): Signer {
  const { signer: held } = holder();
  if (!held) throw new Error("This process has no seed: only a process with ROLES=jobs does.");
  return held;
}
