// Sessions: browsers that are signed in. The cookie is 256 random bits and means nothing by itself; the row is looked up on
// each request, so a session that is ended is ended everywhere at once. It lasts 30 days and is never prolonged.

import { hash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { now } from "@/lib/base/clock";
import { type AccountId, newSessionId, type SessionId } from "@/lib/base/ids";
import type { Wallet, WalletChain } from "@/lib/chains/wallet";
import { type Database, prisma } from "@/lib/db/prisma";

/** How long a session lasts, in seconds. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60;
const MAX_AGENT_CHARACTERS = 300;
const SEEN_EVERY_MS = 60_000;
/** Every page begins with its session. A database that takes longer counts as away. */
const ANSWER_WITHIN_MS = 5_000;

interface NewSession {
  accountId: AccountId;
  /** The wallet that signed in. */
  wallet: Wallet;
  userAgent: string;
  clientAddress: string;
}

/** A session as its holder's next request finds it. */
export interface SessionRecord {
  sessionId: SessionId;
  accountId: AccountId;
  accountState: "open" | "frozen";
  wallet: Wallet;
  expiresAt: Date;
}

/** A session as its owner's list shows it. */
export interface SessionLine {
  sessionId: SessionId;
  wallet: Wallet;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
  userAgent: string;
  clientAddress: string;
}

/** Opens a session. `token` is the cookie's value, known to nobody else from now on. */
export async function openSession(session: NewSession, database: Database = prisma()): Promise<{ sessionId: SessionId; token: string }> {
  const sessionId = newSessionId();
  const token = randomBytes(32).toString("base64url");
  const at = now();
  await database.session.create({
    data: {
      ...session.wallet,
      id: sessionId,
      tokenHash: hashToken(token),
      accountId: session.accountId,
      createdAt: at,
      expiresAt: new Date(at.getTime() + SESSION_SECONDS * 1_000),
      lastSeenAt: at,
      // PostgreSQL cannot keep a NUL, and half a surrogate pair is no text.
      userAgent: session.userAgent.replaceAll("\0", "").slice(0, MAX_AGENT_CHARACTERS).toWellFormed(),
      clientAddress: session.clientAddress,
    },
  });
  return { sessionId, token };
}

/**
 * The session that this cookie opens now, or null: unknown, ended or out of date.
 * @throws Error when the database does not answer within seconds
 */
export async function findSession(token: string): Promise<SessionRecord | null> {
  const at = now();
  const found = await withinSeconds(
    prisma().session.findUnique({
      where: { tokenHash: hashToken(token), expiresAt: { gt: at } },
      select: {
        id: true,
        accountId: true,
        chain: true,
        address: true,
        expiresAt: true,
        lastSeenAt: true,
        account: { select: { state: true } },
      },
    }),
  );
  if (!found) return null;
  const { id, accountId, account, chain, address, expiresAt, lastSeenAt } = found;
  if (at.getTime() - lastSeenAt.getTime() >= SEEN_EVERY_MS) {
    await withinSeconds(prisma().session.updateMany({ where: { id, lastSeenAt: { lt: at } }, data: { lastSeenAt: at } }));
  }
  return {
    sessionId: id as SessionId,
    accountId: accountId as AccountId,
    accountState: account.state as SessionRecord["accountState"],
    wallet: { chain: chain as WalletChain, address },
    expiresAt,
  };
}

/** Waits for a query, but not for long; a connection that does not answer is given up by the pool itself, later. */
async function withinSeconds<T>(query: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const late = sleep(ANSWER_WITHIN_MS, undefined, { ref: false, signal: ended.signal }).then(() => {
    throw new Error(`timeout: the database did not answer within ${ANSWER_WITHIN_MS} ms`);
  });
  late.catch(() => undefined); // aborted, once the query has ended
  try {
    return await Promise.race([query, late]);
  } finally {
    ended.abort();
  }
}

/** The account's open sessions, the latest seen first. */
export async function listSessions(accountId: AccountId): Promise<SessionLine[]> {
  const rows = await prisma().session.findMany({
    where: { accountId, expiresAt: { gt: now() } },
    orderBy: [{ lastSeenAt: "desc" }, { id: "desc" }],
    omit: { tokenHash: true, accountId: true },
  });
  return rows.map(({ id, chain, address, ...session }) => ({
    ...session,
    sessionId: id as SessionId,
    wallet: { chain: chain as WalletChain, address },
  }));
}

/** Ends one session; false when the account has no such session. */
export async function endSession(accountId: AccountId, sessionId: SessionId): Promise<boolean> {
  const { count } = await prisma().session.deleteMany({ where: { accountId, id: sessionId } });
  return count === 1;
}

/** Ends the session that this cookie opens, if it opens one. */
export async function endSessionOfToken(token: string, database: Database = prisma()): Promise<void> {
  await database.session.deleteMany({ where: { tokenHash: hashToken(token) } });
}

/** Ends every session of the account, and returns how many there were. */
export async function endAllSessions(accountId: AccountId): Promise<number> {
  const { count } = await prisma().session.deleteMany({ where: { accountId } });
  return count;
}

/** Ends the sessions that were opened with this wallet. */
export async function endSessionsOf(accountId: AccountId, { chain, address }: Wallet, database: Database = prisma()): Promise<void> {
  await database.session.deleteMany({ where: { accountId, chain, address } });
}

/** Deletes the sessions that are out of date at `at`. */
export async function deleteExpiredSessions(at: Date): Promise<void> {
  await prisma().session.deleteMany({ where: { expiresAt: { lte: at } } });
}

// Of 256 random bits a plain hash gives nothing away, and it is unique without a secret.
const hashToken = (token: string): Uint8Array<ArrayBuffer> => new Uint8Array(hash("sha256", token, "buffer"));
