// next-auth, configured to carry our own sessions: its cookie holds only our token, and reading the cookie means looking the session
// up. Nothing that next-auth signs or encrypts decides who is signed in.

import type { AuthOptions } from "next-auth";
import { z } from "zod";
import { sessionSecret } from "@/lib/access/session-secret";
import { endSessionOfToken, findSession, sessionSeconds } from "@/lib/access/sessions";
import { log } from "@/lib/base/observe/log";
import { walletChains } from "@/lib/chains/wallet";
import { ownOrigin } from "./same-origin";
import { sessionCookieName, sessionCookieOptions } from "./session-cookie";
import { type Browser, signIn } from "./sign-in";

/** A signed text as a browser sends it. Contract wallets have the long signatures. */
export const proofSchema = z.object({
  nonce: z.string().min(1).max(64),
  chain: z.enum(walletChains),
  address: z.string().min(1).max(64),
  message: z.string().min(1).max(2_000),
  signature: z.string().min(1).max(16_384),
});

const page = "/connect";

/** Details of a refusal that next-auth has no place for. */
export interface RefusedSignIn {
  retryAfterMs?: number;
  /** Nothing is wrong with the attempt. */
  isOurFault?: boolean;
}

/** Nodes that were behind, or down for a moment, agree again by then. */
const NODES_RETRY_MS = 5_000;

/**
 * The options for one request of `browser`. `authorize` throws only a reason, since the browser sees what it throws; the rest goes to
 * `refused`.
 */
export function authOptions(browser: Browser, refused: RefusedSignIn = {}): AuthOptions {
  // The token from `authorize` on its way to the cookie, within this request.
  let opened: string | undefined;
  return {
    secret: sessionSecret(),
    session: { strategy: "jwt", maxAge: sessionSeconds() },
    cookies: { sessionToken: { name: sessionCookieName(), options: sessionCookieOptions() } },
    pages: { signIn: page, signOut: page, error: page, verifyRequest: page, newUser: page },
    providers: [
      {
        id: "wallet",
        name: "Wallet",
        type: "credentials",
        credentials: {},
        authorize: async (credentials) => {
          const outcome = await signInWith(credentials, browser);
          if (!outcome.ok) {
            const { retryAfterMs, isOurFault = false } = outcome;
            Object.assign(refused, { retryAfterMs, isOurFault });
            throw new Error(outcome.error);
          }
          opened = outcome.token;
          return { id: outcome.accountId };
        },
      },
    ],
    jwt: {
      encode: async ({ token }) => opened ?? z.string().parse(token?.sessionToken),
      decode: async ({ token }) => {
        const session = token ? await findSession(token) : null;
        if (!session) return null;
        const { accountId, wallet, expiresAt } = session;
        return { sessionToken: token, user: { accountId, wallet }, expires: expiresAt.toISOString() };
      },
    },
    callbacks: {
      redirect: async ({ url }) => ownUrl(url),
      session: async ({ token }) => ({ user: token.user ?? undefined, expires: String(token.expires) }),
    },
    events: {
      signOut: async () => {
        if (browser.sessionToken) await endSessionOfToken(browser.sessionToken, "signed_out");
      },
    },
    logger,
  };
}

type SignedIn = { ok: true; accountId: string; token: string } | ({ ok: false; error: string } & RefusedSignIn);

async function signInWith(credentials: unknown, browser: Browser): Promise<SignedIn> {
  const proof = proofSchema.safeParse(credentials);
  if (!proof.success) return { ok: false, error: "invalid_request" };
  try {
    const outcome = await signIn(proof.data, browser);
    if (outcome.ok) return outcome;
    if (outcome.reason === "too_many_accounts") return { ok: false, error: outcome.reason, retryAfterMs: outcome.retryAfterMs };
    if (outcome.reason === "contract_wallet_unavailable")
      return { ok: false, error: outcome.reason, retryAfterMs: NODES_RETRY_MS, isOurFault: true };
    return { ok: false, error: outcome.reason === "message_changed" ? `message_changed:${outcome.field}` : outcome.reason };
  } catch (error) {
    log().error({ err: error }, "sign-in failed");
    return { ok: false, error: "unavailable" };
  }
}

/** Where to go after sign-in: never to another site. */
export function ownUrl(url: string): string {
  const target = URL.canParse(url, ownOrigin()) ? new URL(url, ownOrigin()) : null;
  return target?.origin === ownOrigin() ? target.href : ownOrigin();
}

const logger: AuthOptions["logger"] = {
  error: (code, metadata) => {
    const error: unknown = metadata instanceof Error ? metadata : metadata.error;
    // A cookie of an ended session is not an error.
    if (error instanceof Error && error.message === "JWT invalid") return;
    log().error({ err: error, code }, "next-auth reported an error");
  },
  warn: (code) => log().warn({ code }, "next-auth warning"),
  debug: () => undefined,
};
