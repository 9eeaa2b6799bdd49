import type { Metadata } from "next";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { readSite } from "@/app/site";
import { readWalletAccess } from "@/app/wallet-access";
import { config } from "@/lib/base/config";
import { refusalTextOf } from "@/lib/console/refusals";
import { findOwner } from "@/lib/console/request-owner";
import { sessionCookieName } from "@/lib/console/sign-in/session-cookie";
import { overview, readNextPath, signedOutText } from "./next-path";
import { WalletLoader } from "./wallet-loader";

export const metadata: Metadata = { title: "Connect wallet" };

interface ConnectPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function ConnectPage({ searchParams }: ConnectPageProps) {
  const { next: requested, error, ended } = await searchParams;
  const next = readNextPath(requested);
  const { baseUrl, isSandbox } = readSite();
  // The signed text names our own host, and wallets warn when the page has another: localhost is not 127.0.0.1.
  // With PUBLIC_URL set a proxy is in front, and the host that it passes on says nothing.
  const host = config().PUBLIC_URL ? null : (await headers()).get("x-page-host");
  if (host && host !== new URL(baseUrl).host) redirect(`${baseUrl}/connect?next=${encodeURIComponent(next ?? overview)}`);
  if (await findOwner()) redirect(next ?? overview);
  // Signing out deletes the cookie: a cookie without a session is that of an ended one.
  const hadSession = (await cookies()).has(sessionCookieName());
  const cause = ended === "switched" || ended === "closed" ? ended : hadSession ? "ended" : "none";
  return (
    <div className="grid gap-12 pt-12 md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] md:pt-20 lg:gap-24">
      <section>
        <h1 className="text-xl font-medium tracking-[-0.025em]">Connect a wallet</h1>
        <p className="mt-3 text-muted">
          Your wallet is your account. No email, no password. When you first sign in, you get your own deposit addresses on Base and Solana.
        </p>
        <ol className="mt-6 grid gap-3 text-sm">
          {steps.map((step, index) => (
            <li key={step} className="flex gap-3">
              <span className="grid size-5 shrink-0 place-items-center rounded-full border border-edge text-xs text-muted">
                {index + 1}
              </span>
              {step}
            </li>
          ))}
        </ol>
      </section>
      <section aria-label="Wallets">
        <SignInNotice error={error} text={signedOutText(cause, next)} />
        <noscript>
          <style>{"[data-needs-script] { display: none; }"}</style>
          <p className="rounded border border-edge p-4 text-sm">
            Signing in needs JavaScript, because your wallet runs in the browser. Turn it on and reload this page, or{" "}
            <a href="/docs" className="underline underline-offset-4">
              read the docs
            </a>
            .
          </p>
        </noscript>
        <div data-needs-script="">
          <WalletLoader access={readWalletAccess()} next={next ?? overview} />
          <p className="mt-4 text-sm text-muted">
            {isSandbox
              ? "No wallet? Each list has two test wallets: one with funds, and a new one to start from zero."
              : "On a phone, open this page in your wallet’s browser."}
          </p>
        </div>
      </section>
    </div>
  );
}

/** Why signing in failed; otherwise why the person has to sign in. */
function SignInNotice({ error, text }: { error: unknown; text: string | null }) {
  if (typeof error === "string")
    return (
      <p role="alert" className="mb-4 rounded border border-red p-4 text-sm">
        {refusalTextOf(error)}
      </p>
    );
  if (text === null) return null;
  return (
    <p role="status" className="mb-4 rounded border border-edge bg-panel p-4 text-sm">
      {text}
    </p>
  );
}

const steps = [
  "Choose a wallet.",
  "Sign a message. It’s free and moves no funds.",
  "Deposit USDC, create a key and send your first request.",
];
