// The signer: what may be asked of whoever holds the seed. Each request is one of the product's own; it signs no bytes that it
// is handed, but payments to the treasury whose fee its sponsor pays. Only a process with the `jobs` role has one.

import type { Hex } from "viem";
import { processSingleton } from "@/lib/base/process-singleton";
import type { Authorization } from "@/lib/chains/evm/usdc";
import type { RecentBlockhash } from "@/lib/chains/solana/transactions";
import type { Relayer } from "@/lib/relay/relayer";
import type { Sponsor } from "@/lib/relay/sponsor";
import type { AttestedAddresses } from "./addresses";
import type { SignedOrder } from "./withdrawal-order";

/** Where swept USDC goes, and withdrawals come from: the operator's own addresses. */
export interface Treasury {
  base: Hex;
  /** The owner; pays the fees of our own transactions on Solana, so it holds SOL as well. */
  solana: string;
}

/** Of one custodial address. The chain carries out one authorization for each nonce of 32 bytes. */
export interface BaseSweep extends Pick<Authorization, "value" | "validAfter" | "validBefore" | "nonce"> {
  index: number;
}

export interface AuthorizedSweep {
  /** To the treasury, always. */
  authorization: Authorization;
  signature: Hex;
}

export interface SolanaSweep {
  /** Each gives `units`, USDC base units. */
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

export interface SolanaPayout extends RecentBlockhash {
  order: SignedOrder;
}

export interface SignedPayout {
  bytes: Buffer;
  /** The treasury's, by which the cluster knows the transaction. */
  signature: string;
}

export interface Signer {
  /** BIP-32 fingerprint of the seed, 8 hexadecimal digits. */
  readonly fingerprint: string;
  /** Public half of m/44'/60'/0'/0. */
  readonly xpub: string;
  /** The Solana mint that its token accounts are for. */
  readonly usdcMint: string;
  readonly treasury: Treasury;
  /** Pays for gas on Base, for calls of USDC and of the settlement contract, and nothing else. */
  readonly relayer: Relayer;
  /** Pays the fees of payments on Solana that their payers signed, and is no party to them: it holds SOL, and never USDC. */
  readonly sponsor: Sponsor;
  /** The addresses of a derivation index, signed as this signer's. */
  deriveAddresses(index: number): AttestedAddresses;
  /** Lets anybody move an amount from a custodial address to the treasury, once. */
  signSweepOnBase(sweep: BaseSweep): Promise<AuthorizedSweep>;
  /**
   * A transaction that moves amounts of custodial addresses to the treasury, which pays its fee.
   * @throws Error when they are more than fit into one
   */
  signSweepOnSolana(sweep: SolanaSweep): SignedSweep;
  /** A transaction that makes the treasury's own account for USDC, and leaves one that is there. */
  signTreasuryAccountOnSolana(blockhash: string): SignedSweep;
  /**
   * Lets anybody carry what an order says from the treasury to its destination, once and within the hour: USDC takes one
   * authorization for one signed text.
   * @throws PayoutRefused when it is not what its owner signed
   */
  signPayoutOnBase(order: SignedOrder): Promise<AuthorizedPayout>;
  /**
   * A transaction that pays an order out of the treasury. Each blockhash makes another one: the nodes must say that the last is lost.
   * @throws PayoutRefused when it is not what its owner signed, or was paid
   * @throws SolanaUnavailable when the nodes cannot tell what became of the last
   */
  signPayoutOnSolana(payout: SolanaPayout): Promise<SignedPayout>;
  /** What was signed last for an order was thrown away: nobody has seen it, so it counts for no limit. */
  dropPayout(order: SignedOrder): void;
}

const holder = processSingleton<{ signer?: Signer }>("signer", () => ({}));

/** Gives this process its signer; undefined takes it away again. */
export function setSigner(signer: Signer | undefined): void {
  holder().signer = signer;
}

/** @throws Error in a process without the jobs role */
export function signer(): Signer {
  const { signer: held } = holder();
  if (!held) throw new Error("This process holds no seed: only one with ROLES=jobs does.");
  return held;
}
