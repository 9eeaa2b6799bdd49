// Sessions: browsers that are signed in. The cookie is 256 random bits without meaning; each request looks up the row, so a session that
// is ended is ended everywhere at once. A session ends after SESSION_DAYS, or earlier when it was not used for SESSION_IDLE_HOURS. Its row
// stays, with when and why it ended; its browser and address are erased after AUDIT_PERSONAL_DAYS.

import { hash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { recordAudit } from "@/lib/audit/record";
import { DAY_MS, dateOf, HOUR_MS, now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { type AccountId, newSessionId, type SessionId } from "@/lib/base/ids";
import type { Wallet, WalletChain } from "@/lib/chains/wallet";
import { setActor } from "@/lib/db/acting";
import { actAs, type Database, inTransaction, prisma, type Transaction } from "@/lib/db/prisma";

/** How long a session lasts at most, in seconds. */
export const sessionSeconds = (): number => config().SESSION_DAYS * 24 * 60 * 60;

/** A session that was last seen before this moment has ended. */
const idleSince = (at: Date): Date => dateOf(at.getTime() - config().SESSION_IDLE_HOURS * HOUR_MS);
/**
 * A wallet has at most this many open sessions in its account. One more ends the wallet's least recently used session, and never a session of
 * another wallet: a thief with one wallet of two must not sign the owner out.
 */
const MOST_OPEN = 50;
const MAX_AGENT_CHARACTERS = 300;
const SEEN_EVERY_MS = 60_000;
/** Every page begins with a session lookup. A database that takes longer counts as unavailable. */
const ANSWER_WITHIN_MS = 5_000;

interface NewSession {
  accountId: AccountId;
  /** The wallet that signed in. */
  wallet: Wallet;
  userAgent: string;
  clientAddress: string;
}

/**
 * Why a session ended: signed out there; ended from the list, or with all others; another sign-in in its browser; its wallet leaves the
 * account; the account was absorbed, or closed; its wallet opened more than MOST_OPEN; SESSION_DAYS and SESSION_IDLE_HOURS.
 */
export type EndReason =
  | "signed_out"
  | "ended"
  | "everywhere"
  | "replaced"
  | "unlinked"
  | "absorbed"
  | "closed"
  | "too_many"
  | "expired"
  | "idle";

/** A session as found by its holder's next request. */
export interface SessionRecord {
  sessionId: SessionId;
  accountId: AccountId;
  accountState: "open" | "frozen";
  wallet: Wallet;
  /** The wallet is being unlinked from the account. */
  isLeaving: boolean;
  expiresAt: Date;
  /** When its owner last signed something, by signing in or since. */
  confirmedAt: Date;
  /** Until then it spends in the playground without a daily limit; null: never signed for. */
  spendsUntil: Date | null;
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

/** Opens a session, and ends its wallet's idlest beyond MOST_OPEN. `token` is the cookie's value; it is not stored. */
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
      expiresAt: new Date(at.getTime() + sessionSeconds() * 1_000),
      lastSeenAt: at,
      confirmedAt: at,
      // PostgreSQL cannot store a NUL, and half a surrogate pair is not valid text.
      userAgent: session.userAgent.replaceAll("\0", "").slice(0, MAX_AGENT_CHARACTERS).toWellFormed(),
      clientAddress: session.clientAddress,
    },
  });
  await endIdlest(session, sessionId, database);
  return { sessionId, token };
}

async function endIdlest({ accountId, wallet }: NewSession, except: SessionId, database: Database): Promise<void> {
  const idlest = await database.session.findMany({
    where: { accountId, ...wallet, endedAt: null, id: { not: except } },
    orderBy: [{ lastSeenAt: "desc" }, { id: "desc" }],
    skip: MOST_OPEN - 1,
    select: { id: true },
  });
  if (idlest.length === 0) return;
  await database.session.updateMany({ where: { id: { in: idlest.map(({ id }) => id) }, endedAt: null }, data: ended("too_many") });
}

/** How many sessions of the account this wallet has opened since then. */
export const countOpenedSince = (since: Date, accountId: AccountId, wallet: Wallet, transaction: Transaction): Promise<number> =>
  transaction.session.count({ where: { accountId, ...wallet, createdAt: { gt: since } } });

/**
 * The open session of this cookie, or null: unknown, ended or expired. From now on the request is its owner's.
 * @throws Error when the database does not answer within seconds
 */
export async function findSession(token: string): Promise<SessionRecord | null> {
  const at = now();
  const found = await withinSeconds(
    prisma().session.findUnique({
      where: { tokenHash: hashToken(token), endedAt: null, expiresAt: { gt: at }, lastSeenAt: { gt: idleSince(at) } },
      select: {
        id: true,
        accountId: true,
        chain: true,
        address: true,
        expiresAt: true,
        lastSeenAt: true,
        confirmedAt: true,
        spendsUntil: true,
        account: { select: { state: true, identities: { where: { leavesAt: { not: null } }, select: { chain: true, address: true } } } },
      },
    }),
  );
  if (!found) return null;
  const { id, accountId, account, chain, address, expiresAt, lastSeenAt, confirmedAt, spendsUntil } = found;
  setActor({ kind: "session", sessionId: id, chain, address });
  if (at.getTime() - lastSeenAt.getTime() >= SEEN_EVERY_MS) {
    await withinSeconds(prisma().session.updateMany({ where: { id, lastSeenAt: { lt: at } }, data: { lastSeenAt: at } }));
  }
  return {
    sessionId: id as SessionId,
    accountId: accountId as AccountId,
    accountState: account.state as SessionRecord["accountState"],
    wallet: { chain: chain as WalletChain, address },
    isLeaving: account.identities.some((leaving) => leaving.chain === chain && leaving.address === address),
    expiresAt,
    confirmedAt,
    spendsUntil,
  };
}

/** Waits for a query, with a time limit. The pool itself gives up a connection that does not answer, later. */
async function withinSeconds<T>(query: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const late = sleep(ANSWER_WITHIN_MS, undefined, { ref: false, signal: ended.signal }).then(() => {
    throw new Error(`timeout: the database did not answer within ${ANSWER_WITHIN_MS} ms`);
  });
  late.catch(() => undefined); // the sleep is aborted once the query has ended
  try {
    return await Promise.race([query, late]);
  } finally {
    ended.abort();
  }
}

/** The account's open sessions, the last seen first. */
export async function listSessions(accountId: AccountId): Promise<SessionLine[]> {
  const at = now();
  const rows = await prisma().session.findMany({
    where: { accountId, endedAt: null, expiresAt: { gt: at }, lastSeenAt: { gt: idleSince(at) } },
    orderBy: [{ lastSeenAt: "desc" }, { id: "desc" }],
    omit: { tokenHash: true, accountId: true, confirmedAt: true, spendsUntil: true, endedAt: true, endReason: true },
  });
  return rows.map(({ id, chain, address, ...session }) => ({
    ...session,
    sessionId: id as SessionId,
    wallet: { chain: chain as WalletChain, address },
  }));
}

/** Its owner has just signed `text` with one of their wallets. */
export async function confirmSession(sessionId: SessionId, { wallet, text }: { wallet: Wallet; text: string }): Promise<void> {
  await inTransaction(async (transaction) => {
    const [confirmed] = await transaction.session.updateManyAndReturn({
      where: { id: sessionId, endedAt: null },
      data: { confirmedAt: now() },
      select: { accountId: true },
    });
    const entry = { kind: "session.confirmed", subject: sessionId, after: { ...wallet, text } } as const;
    if (confirmed) await recordAudit({ ...entry, accountId: confirmed.accountId }, transaction);
  });
}

/** Its owner has signed that it may spend in the playground without a daily limit until then. */
export async function letSessionSpend(sessionId: SessionId, until: Date): Promise<void> {
  await prisma().session.updateMany({ where: { id: sessionId, endedAt: null }, data: { spendsUntil: until } });
}

/** The release before this one looks only at when a session expires: while both run, a session ended here has ended there too. */
function ended(endReason: EndReason, at = now()) {
  return { endedAt: at, expiresAt: at, endReason };
}

/** Whether a session has not been ended. Asked under the account's lock, which ending all its sessions holds. */
export async function isSessionOpen(sessionId: SessionId, transaction: Transaction): Promise<boolean> {
  return (await transaction.session.count({ where: { id: sessionId, endedAt: null } })) === 1;
}

/** Ends one session; false when the account has no such session, or it has ended. */
export async function endSession(accountId: AccountId, sessionId: SessionId, reason: EndReason = "ended"): Promise<boolean> {
  const { count } = await prisma().session.updateMany({ where: { accountId, id: sessionId, endedAt: null }, data: ended(reason) });
  return count === 1;
}

/** Ends the session of this cookie, if it is open. */
export async function endSessionOfToken(token: string, reason: EndReason, database: Database = prisma()): Promise<void> {
  await database.session.updateMany({ where: { tokenHash: hashToken(token), endedAt: null }, data: ended(reason) });
}

/** Ends every session of the account, and returns how many there were. */
export async function endAllSessions(
  accountId: AccountId,
  database: Database = prisma(),
  reason: EndReason = "everywhere",
): Promise<number> {
  const { count } = await database.session.updateMany({ where: { accountId, endedAt: null }, data: ended(reason) });
  return count;
}

/** Ends the account's sessions that this wallet opened: it leaves. */
export async function endSessionsOf(accountId: AccountId, { chain, address }: Wallet, database: Database = prisma()): Promise<void> {
  await database.session.updateMany({ where: { accountId, chain, address, endedAt: null }, data: ended("unlinked") });
}

/** Ends the sessions whose time is over at `at`, and erases who had those that ended long ago. A job runs it. */
export async function endExpiredSessions(at: Date): Promise<void> {
  await inTransaction(async (transaction) => {
    await actAs({ kind: "job", job: "end-expired-sessions" }, transaction);
    const { session } = transaction;
    await session.updateMany({ where: { endedAt: null, expiresAt: { lte: at } }, data: { endedAt: at, endReason: "expired" } });
    await session.updateMany({ where: { endedAt: null, lastSeenAt: { lte: idleSince(at) } }, data: ended("idle", at) });
  });
  const before = dateOf(at.getTime() - config().AUDIT_PERSONAL_DAYS * DAY_MS);
  await prisma().session.updateMany({
    where: { endedAt: { lte: before }, clientAddress: { not: "" } },
    data: { userAgent: "", clientAddress: "" },
  });
}

// The plain hash of 256 random bits reveals nothing, and is unique without a secret.
const hashToken = (token: string): Uint8Array<ArrayBuffer> => new Uint8Array(hash("sha256", token, "buffer"));
