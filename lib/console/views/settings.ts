// The owner's settings: wallets, sessions and the line below which the console warns.

import type { NamedWallet } from "./wallet";

export interface OwnWallet extends NamedWallet {
  linkedAt: Date;
  /** Signing in with it opened the account. */
  isFirst: boolean;
  /** This session was opened with it. */
  isCurrent: boolean;
}

export interface SessionView {
  sessionId: string;
  /** `Chrome on macOS` */
  device: string;
  wallet: NamedWallet;
  clientAddress: string;
  createdAt: Date;
  lastSeenAt: Date;
  isCurrent: boolean;
}

export interface Settings {
  wallets: OwnWallet[];
  sessions: SessionView[];
  /** Nano-USD; null: no warning is wanted. */
  lowBalance: bigint | null;
}
