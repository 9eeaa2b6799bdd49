// Sessions: browsers that are signed in. The cookie is 256 random bits and means nothing by itself; the row is looked up on
// each request, so a session that is ended is ended everywhere at once. It lasts 30 days and is never prolonged.

import { hash, randomBytes } from "node:crypto";
import type { QueryConfig, QueryResult, QueryResultRow } from "pg";
import { now } from "@/lib/base/clock";
import { type AccountId, newSessionId, type SessionId } from "@/lib/base/ids";
import type { Wallet, WalletChain } from "@/lib/chains/wallet";
import { pool, type Queryable } from "@/lib/db/pool";

/** How long a session lasts, in seconds. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60;
const MAX_AGENT_CHARACTERS = 300;
const SEEN_EVERY_MS = 60_000;
/** Every page begins with its session: who waits longer than this for the database is told so. */
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
export async function openSession(session: NewSession, database: Queryable = pool()): Promise<{ sessionId: SessionId; token: string }> {
  const sessionId = newSessionId();
  const token = randomBytes(32).toString("base64url");
  const at = now();
  await database.query(
    `INSERT INTO session (id, token_hash, account_id, chain, address, created_at, expires_at, last_seen_at, user_agent, client_address)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $6, $8, $9)`,
    [
      sessionId,
      hashToken(token),
      session.accountId,
      session.wallet.chain,
      session.wallet.address,
      at,
      new Date(at.getTime() + SESSION_SECONDS * 1_000),
      // PostgreSQL cannot keep a NUL, and half a surrogate pair is no text.
      session.userAgent.replaceAll("\0", "").slice(0, MAX_AGENT_CHARACTERS).toWellFormed(),
      session.clientAddress,
    ],
  );
  return { sessionId, token };
}

interface SessionRow {
  sessionId: SessionId;
  accountId: AccountId;
  accountState: "open" | "frozen";
  chain: WalletChain;
  address: string;
  expiresAt: Date;
  lastSeenAt: Date;
}

/**
 * The session that this cookie opens now, or null: unknown, ended or out of date.
 * @throws Error when the database does not answer within seconds
 */
export async function findSession(token: string): Promise<SessionRecord | null> {
  const at = now();
  const { rows } = await askSoon<SessionRow>(
    `SELECT s.id AS "sessionId", s.account_id AS "accountId", a.state AS "accountState", s.chain, s.address,
       s.expires_at AS "expiresAt", s.last_seen_at AS "lastSeenAt"
     FROM session s JOIN account a ON a.id = s.account_id WHERE s.token_hash = $1 AND s.expires_at > $2`,
    [hashToken(token), at],
  );
  const [row] = rows;
  if (!row) return null;
  const { chain, address, lastSeenAt, ...session } = row;
  if (at.getTime() - lastSeenAt.getTime() >= SEEN_EVERY_MS) {
    await askSoon("UPDATE session SET last_seen_at = $2 WHERE id = $1 AND last_seen_at < $2", [row.sessionId, at]);
  }
  return { ...session, wallet: { chain, address } };
}

/** Runs a statement that gives up early. The connection that did not answer is not used again. */
function askSoon<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<Row>> {
  // pg knows this setting of a single query, its types do not.
  const statement: QueryConfig & { query_timeout: number } = { text, values, query_timeout: ANSWER_WITHIN_MS };
  return pool().query<Row>(statement);
}

/** The account's open sessions, the latest seen first. */
export async function listSessions(accountId: AccountId): Promise<SessionLine[]> {
  const { rows } = await pool().query<Omit<SessionLine, "wallet"> & Wallet>(
    `SELECT id AS "sessionId", chain, address, created_at AS "createdAt", last_seen_at AS "lastSeenAt", expires_at AS "expiresAt",
       user_agent AS "userAgent", client_address AS "clientAddress"
     FROM session WHERE account_id = $1 AND expires_at > $2 ORDER BY last_seen_at DESC, id DESC`,
    [accountId, now()],
  );
  return rows.map(({ chain, address, ...session }) => ({ ...session, wallet: { chain, address } }));
}

/** Ends one session; false when the account has no such session. */
export async function endSession(accountId: AccountId, sessionId: SessionId): Promise<boolean> {
  const { rowCount } = await pool().query("DELETE FROM session WHERE account_id = $1 AND id = $2", [accountId, sessionId]);
  return rowCount === 1;
}

/** Ends the session that this cookie opens, if it opens one. */
export async function endSessionOfToken(token: string, database: Queryable = pool()): Promise<void> {
  await database.query("DELETE FROM session WHERE token_hash = $1", [hashToken(token)]);
}

/** Ends every session of the account, and returns how many there were. */
export async function endAllSessions(accountId: AccountId): Promise<number> {
  const { rowCount } = await pool().query("DELETE FROM session WHERE account_id = $1", [accountId]);
  return rowCount ?? 0;
}

/** Ends the sessions that were opened with this wallet. */
export async function endSessionsOf(accountId: AccountId, { chain, address }: Wallet, database: Queryable = pool()): Promise<void> {
  await database.query("DELETE FROM session WHERE account_id = $1 AND chain = $2 AND address = $3", [accountId, chain, address]);
}

/** Deletes the sessions that are out of date at `at`. */
export async function deleteExpiredSessions(at: Date): Promise<void> {
  await pool().query("DELETE FROM session WHERE expires_at <= $1", [at]);
}

// Of 256 random bits a plain hash gives nothing away, and it is unique without a secret.
const hashToken = (token: string): Buffer => hash("sha256", token, "buffer");
