// One wallet of this browser, of either kind, as the pages use it.

import type { PlainChallenge } from "@/lib/console/views/wallet";
import type { ConnectedWallet, SignedChallenge } from "./wallet-types";

export interface WalletHandle {
  /** The wallet that lets this page see its address; null while none does. */
  wallet: ConnectedWallet | null;
  /** Opens the list of wallets. */
  choose: () => void;
  /** How often a wallet was chosen in this visit: an automatic reconnection requests nothing. */
  chosen: number;
  /** True from the choice until the wallet answers. */
  isConnecting: boolean;
  /** Why it could not be connected, as a message; null when nothing went wrong. */
  problem: string | null;
  /**
   * Signs the challenge.
   * @throws the wallet's own error; `wallet-error.ts` has its message
   */
  sign: (challenge: PlainChallenge) => Promise<SignedChallenge>;
  /** Its signature was refused: a wallet that composes its own texts gets our exact text the next time. */
  refused: () => void;
  forget: () => Promise<void>;
}
