// Challenges: texts that a wallet is asked to sign. Each is good for five minutes and for one attempt: reading it deletes it, so that of
// two concurrent uses one finds nothing. Anybody may request one, so the table keeps only the newest.

import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { type AccountId, randomBase62 } from "@/lib/base/ids";
import { processSingleton } from "@/lib/base/process-singleton";
import { publicUrl } from "@/lib/base/public-url";
import { type SolanaSignInInput, solanaSignInInput, writeSignInMessage } from "@/lib/chains/sign-in-message";
import { displayAddress, type Wallet, type WalletChain } from "@/lib/chains/wallet";
import { type Database, prisma } from "@/lib/db/prisma";

/**
 * `link_join` is signed by the wallet to be added, then `link_allow` by a wallet of the account; `step_up` by a wallet of the account, for
 * one action.
 */
export type Purpose = "sign_in" | "link_join" | "link_allow" | "step_up";

/** What the client passes to the wallet. */
export interface Challenge {
  nonce: string;
  text: string;
  /** The text as fields, for Wallet Standard's `solana:signIn`; not on EVM chains. */
  signInInput?: SolanaSignInInput;
}

/** A challenge as it was issued. */
export interface StoredChallenge {
  purpose: Purpose;
  wallet: Wallet;
  accountId: AccountId | null;
  /** The wallet that a `link_allow` lets in, which has signed before. */
  joining: Wallet | null;
  /** The joining wallet's own account, which the account absorbs; null when it has none. */
  absorbs: AccountId | null;
  text: string;
  expiresAt: Date;
}

const LIFE_MS = 5 * 60_000;
/** 131 bits; EIP-4361 requires letters and digits. */
const NONCE_CHARACTERS = 22;
/** To push out a challenge one minute old, a flood needs 100,000 of them a minute, from 3,334 networks at once. */
const MAX_KEPT = 100_000;
const TRIM_EVERY = 1_000;

const given = processSingleton("challenges given", () => ({ sinceTrim: 0 }));

export const newNonce = (): string => randomBase62(NONCE_CHARACTERS);

type NewChallenge = { wallet: Wallet; nonce: string } & (
  | { purpose: "sign_in" }
  | { purpose: "link_join"; accountId: AccountId }
  | { purpose: "step_up"; accountId: AccountId; statement: string }
  | { purpose: "link_allow"; accountId: AccountId; joining: Wallet; absorbs: AccountId | null }
);

/** Creates a challenge for `wallet`. The text always says what the signature is for. */
export async function giveChallenge(challenge: NewChallenge, database: Database = prisma()): Promise<Challenge> {
  const { wallet, nonce, purpose } = challenge;
  const issuedAt = now();
  const expiresAt = new Date(issuedAt.getTime() + LIFE_MS);
  const uri = publicUrl();
  const fields = { wallet, domain: new URL(uri).host, uri, statement: statementOf(challenge), nonce, issuedAt, expiresAt };
  const text = writeSignInMessage(fields);
  const accountId = challenge.purpose === "sign_in" ? null : challenge.accountId;
  const allows = challenge.purpose === "link_allow" ? challenge : null;
  const joining = { joiningChain: allows?.joining.chain, joiningAddress: allows?.joining.address, absorbs: allows?.absorbs };
  await database.signInNonce.create({ data: { ...wallet, ...joining, nonce, purpose, accountId, text, expiresAt } });
  if (++given().sinceTrim >= TRIM_EVERY) await trimChallenges(database);
  return wallet.chain === "solana" ? { nonce, text, signInInput: solanaSignInInput(fields) } : { nonce, text };
}

function statementOf(challenge: NewChallenge): string {
  const service = config().SERVICE_NAME;
  switch (challenge.purpose) {
    case "sign_in":
      return `Sign in to ${service}. This costs nothing and moves no money.`;
    case "link_join":
      return `Link this wallet to account ${challenge.accountId} at ${service}. It can then sign in to it. If it has an unused account of its own, that account is merged into this one. This costs nothing and moves no money.`;
    case "step_up":
      return challenge.statement;
    case "link_allow":
      return `Let wallet ${displayAddress(challenge.joining)} sign in to account ${challenge.accountId} at ${service}. Whoever holds that wallet can use the account's money.${mergeText(challenge.absorbs)}`;
  }
}

const mergeText = (absorbs: AccountId | null): string =>
  absorbs === null
    ? ""
    : ` Its own account ${absorbs}, which is unused, is merged into this one and closed. USDC that is sent to its deposit addresses later is credited to this account.`;

/** Deletes and returns the challenge of this nonce; null when it was used, expired and deleted, or never issued. */
export async function takeChallenge(nonce: string, database: Database = prisma()): Promise<StoredChallenge | null> {
  // Prisma's deleteMany returns no rows, and its delete throws when there is no row, which would end a transaction.
  const rows = await database.$queryRaw<StoredRow[]>`
    DELETE FROM sign_in_nonce WHERE nonce = ${nonce}
    RETURNING purpose, chain, address, account_id AS "accountId", joining_chain AS "joiningChain", joining_address AS "joiningAddress", absorbs,
      text, expires_at AS "expiresAt"`;
  const [row] = rows;
  if (!row) return null;
  const { chain, address, joiningChain, joiningAddress, ...challenge } = row;
  const joining = joiningChain !== null && joiningAddress !== null ? { chain: joiningChain, address: joiningAddress } : null;
  return { ...challenge, wallet: { chain, address }, joining };
}

interface StoredRow extends Omit<StoredChallenge, "wallet" | "joining"> {
  chain: WalletChain;
  address: string;
  joiningChain: WalletChain | null;
  joiningAddress: string | null;
}

// Each process trims after issuing TRIM_EVERY challenges: a job that runs once a minute would come too late. Rows that another process
// is deleting now are left to it.
async function trimChallenges(database: Database): Promise<void> {
  given().sinceTrim = 0;
  // Prisma cannot skip locked rows.
  await database.$executeRaw`
    DELETE FROM sign_in_nonce WHERE nonce = ANY (ARRAY(
      SELECT nonce FROM sign_in_nonce
      WHERE expires_at <= (SELECT expires_at FROM sign_in_nonce ORDER BY expires_at DESC OFFSET ${MAX_KEPT} LIMIT 1)
      FOR UPDATE SKIP LOCKED
    ))`;
}

/** Deletes the challenges that have expired at `at`. */
export async function deleteExpiredChallenges(at: Date): Promise<void> {
  await prisma().signInNonce.deleteMany({ where: { expiresAt: { lte: at } } });
}
