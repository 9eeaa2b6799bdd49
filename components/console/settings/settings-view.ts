// What the components of this folder know of the settings, and what they may ask for.

import type { Answered, Refused } from "../use-action";

export interface WalletView {
  chain: "evm" | "solana";
  address: string;
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
  wallet: { chain: "evm" | "solana"; address: string };
  clientAddress: string;
  createdAt: Date;
  lastSeenAt: Date;
  isCurrent: boolean;
}

export type UnlinkWallet = (wallet: { chain: "evm" | "solana"; address: string }) => Promise<Answered>;
export type EndSession = (session: { sessionId: string }) => Promise<Answered>;
/** Leads to the page where one signs in; answers only when it was refused. */
export type EndSessions = () => Promise<Refused>;
/** Nothing written turns the warning off. */
export type SetLowBalance = (line: { amount: string }) => Promise<Answered>;
