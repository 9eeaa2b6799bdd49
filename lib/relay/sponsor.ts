// The sponsor: the key that pays the fees of payments on Solana which their payers signed. It holds SOL and nothing else, and is no party
// to the payment. The process with the seed sets it at startup.

import { processSingleton } from "@/lib/base/process-singleton";
import { writeSetting } from "@/lib/db/settings";

export interface SignedBySponsor {
  bytes: Buffer;
  /** The sponsor's, base58: it identifies the transaction on the cluster. */
  signature: string;
}

export interface Sponsor {
  /** base58. */
  readonly address: string;
  /**
   * Signs a client's transaction as its fee payer. The same message always gets the same signature.
   * @throws Error when it is anything but one payment of USDC to the treasury, signed by its payer; SignerUnavailable
   */
  signPayment(bytes: Uint8Array): Promise<SignedBySponsor>;
}

const holder = processSingleton<{ sponsor?: Sponsor }>("sponsor", () => ({}));

/** Sets this process's sponsor; undefined removes it. */
export function setSponsor(sponsor: Sponsor | undefined): void {
  holder().sponsor = sponsor;
}

/** Null in a process without a sponsor. */
export const findSponsor = (): Sponsor | null => holder().sponsor ?? null;

export const SPONSORED_PARTIES = "sponsored payment parties";

/** base58. */
export interface SponsoredParties {
  sponsor: string;
  /** The recipient, and the token. */
  treasury: string;
  mint: string;
}

/** Stores, for processes without the seed, the parties that a payer's transaction must name. */
export const writeSponsoredParties = ({ sponsor, treasury, mint }: SponsoredParties): Promise<void> =>
  writeSetting(SPONSORED_PARTIES, JSON.stringify({ sponsor, treasury, mint }));
