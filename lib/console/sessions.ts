// The sessions of an account as its owner sees and ends them. An ended one is refused at its next request, by every process.

import { endAllSessions, endSession, listSessions, type SessionLine } from "@/lib/access/sessions";
import type { SessionId } from "@/lib/base/ids";
import type { Owner } from "./owner";

export interface OwnSession extends SessionLine {
  /** The one that asks. */
  isCurrent: boolean;
}

/** The owner's open sessions, the latest seen first. */
export async function listOwnSessions(owner: Owner): Promise<OwnSession[]> {
  const sessions = await listSessions(owner.accountId);
  return sessions.map((session) => ({ ...session, isCurrent: session.sessionId === owner.sessionId }));
}

/** Ends one of the owner's sessions; false when it is none of theirs. `sessionId` is whatever a page sent. */
export const revokeSession = (owner: Owner, sessionId: string): Promise<boolean> => endSession(owner.accountId, sessionId as SessionId);

/** Signs out everywhere, here too. Returns how many sessions there were. */
export const revokeAllSessions = (owner: Owner): Promise<number> => endAllSessions(owner.accountId);
