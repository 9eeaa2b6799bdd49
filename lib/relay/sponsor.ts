// The sponsor: the key that pays the fees of payments on Solana which their payers signed. It holds SOL and nothing else, and is no
// party to what it pays for. The process with the seed hands it over at its start.

import { processSingleton } from "@/lib/base/process-singleton";
import { writeSetting } from "@/lib/db/settings";

export interface SignedBySponsor {
  bytes: Buffer;
  /** The sponsor's, base58, by which the cluster knows the transaction. */
  signature: string;
}

export interface Sponsor {
  /** base58. */
  readonly address: string;
  /**
   * Signs a client's transaction as its fee payer. The same message is always given the same signature.
   * @throws Error when it is anything but one payment of USDC to the treasury, signed by its payer
   */
  signPayment(bytes: Uint8Array): SignedBySponsor;
}

const holder = processSingleton<{ sponsor?: Sponsor }>("sponsor", () => ({}));

/** Gives this process its sponsor; undefined takes it away again. */
export function setSponsor(sponsor: Sponsor | undefined): void {
  holder().sponsor = sponsor;
}

/** Null in a process that was given none. */
export const findSponsor = (): Sponsor | null => holder().sponsor ?? null;

export const SPONSORED_PARTIES = "sponsored payment parties";

/** base58. */
export interface SponsoredParties {
  sponsor: string;
  /** Who is paid, and in which token. */
  treasury: string;
  mint: string;
}

/** Stores, for processes without the seed, what a payer must be asked for. */
export const writeSponsoredParties = ({ sponsor, treasury, mint }: SponsoredParties): Promise<void> =>
  writeSetting(SPONSORED_PARTIES, JSON.stringify({ sponsor, treasury, mint }));
