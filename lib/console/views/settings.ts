// The owner's settings: wallets and sessions.

import type { NamedWallet } from "./wallet";

export interface OwnWallet extends NamedWallet {
  linkedAt: Date;
  /** The account was opened by signing in with it. */
  isFirst: boolean;
  /** When it is unlinked; null: it stays. */
  leavesAt: Date | null;
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
  /** When a session ends: so long after signing in, or without use. */
  sessionEnds: { days: number; idleHours: number };
}
