// One wallet of this browser, of either kind, as the pages use it.

import type { PlainChallenge } from "@/lib/console/views/wallet";
import type { ConnectedWallet, SignedChallenge } from "./wallet-types";

export interface WalletHandle {
  /** The wallet that lets this page see its address; null while none does. */
  wallet: ConnectedWallet | null;
  /** Opens the list of wallets. */
  choose: () => void;
  /** Counts how often somebody chose a wallet in this visit: what connects by itself asks for nothing. */
  chosen: number;
  /** True from the choice until the wallet answers. */
  isConnecting: boolean;
  /** Why it could not be connected, in words; null when nothing went wrong. */
  problem: string | null;
  /**
   * Has the challenge signed.
   * @throws the wallet's own error, which `wallet-error.ts` puts in words
   */
  sign: (challenge: PlainChallenge) => Promise<SignedChallenge>;
  /** What it signed was refused: if it writes texts itself, it is handed ours as it is the next time. */
  refused: () => void;
  forget: () => Promise<void>;
}
