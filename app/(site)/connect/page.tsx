import type { Metadata } from "next";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { readSite } from "@/app/site";
import { readWalletAccess } from "@/app/wallet-access";
import { config } from "@/lib/base/config";
import { findOwner } from "@/lib/console/owner";
import { refusalTextOf } from "@/lib/console/refusals";
import { WalletLoader } from "./wallet-loader";

export const metadata: Metadata = { title: "Connect wallet" };

interface ConnectPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function ConnectPage({ searchParams }: ConnectPageProps) {
  const { next: requested, error } = await searchParams;
  const next = readNextPath(requested);
  const { name, baseUrl, isSandbox } = readSite();
  // The signed text names our own host, and wallets warn when the page has another: localhost is not 127.0.0.1.
  // With PUBLIC_URL set a proxy is in front, and the host that it passes on says nothing.
  const host = config().PUBLIC_URL ? null : (await headers()).get("x-page-host");
  if (host && host !== new URL(baseUrl).host) redirect(`${baseUrl}/connect?next=${encodeURIComponent(next)}`);
  if (await findOwner()) redirect(next);
  return (
    <div className="mx-auto grid max-w-[880px] gap-12 pt-12 md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] md:pt-20">
      <section>
        <h1 className="text-xl font-medium tracking-[-0.025em]">Connect a wallet</h1>
        <p className="mt-3 text-muted">
          Your wallet is your account at {name}. No name, no mail, no password. The first time, you get an address on Base and one on Solana
          to send USDC to.
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
        {typeof error === "string" ? (
          <p role="alert" className="mb-4 rounded border border-red p-4 text-sm">
            {refusalTextOf(error)}
          </p>
        ) : null}
        <WalletLoader access={readWalletAccess()} next={next} />
        <p className="mt-4 text-sm text-muted">
          {isSandbox
            ? "No wallet at hand? Both lists have a demo wallet, which signs by itself."
            : "On a phone, open this page in your wallet’s own browser."}
        </p>
      </section>
    </div>
  );
}

/** Where sign-in may lead: an area of the console, never another site. */
const area = /^\/(overview|keys|deposit|withdraw|usage|playground|payments|settings)([/?][\w/?=&.,:%-]*)?$/;

/** The path in the URL, or the overview. */
const readNextPath = (requested: unknown): string => (typeof requested === "string" && area.test(requested) ? requested : "/overview");

const steps = [
  "Choose a wallet; it shows us its address.",
  "Sign a text that names this site. It costs nothing and moves no money.",
  "Fund it, make a key, call.",
];
