import { cookies } from "next/headers";
import Link from "next/link";
import type { ReactNode } from "react";
import { hasSessionCookie } from "@/app/session-cookie";
import { readSite } from "@/app/site";
import { SiteHeader } from "@/components/site/site-header";
import { readTheme, THEME_COOKIE } from "@/components/site/theme";

/** The layout of public pages. They load no wallet code; signing in happens on /connect. */
export default async function SiteLayout({ children }: { children: ReactNode }) {
  const jar = await cookies();
  const { name } = readSite();
  return (
    <>
      <SiteHeader name={name} theme={readTheme(jar.get(THEME_COOKIE)?.value)} isSignedIn={await hasSessionCookie()} />
      <main id="content" tabIndex={-1} className="mx-auto w-full max-w-wide grow px-5 outline-none">
        {children}
      </main>
      <SiteFooter name={name} />
    </>
  );
}

const footerLinks = [
  { href: "/models", text: "Models and prices" },
  { href: "/docs/balance", text: "Why your balance is right" },
  { href: "/docs/privacy", text: "Privacy" },
  { href: "/docs", text: "Quick start" },
  { href: "/docs/api", text: "API reference" },
  { href: "/docs/errors", text: "Errors" },
  { href: "/reserves", text: "Reserves" },
  { href: "/status", text: "Status" },
];

function SiteFooter({ name }: { name: string }) {
  return (
    <footer className="mt-24 border-t border-line">
      <div className="mx-auto flex max-w-wide flex-wrap items-center gap-x-6 gap-y-2 px-5 py-6 text-xs text-muted">
        <p className="mr-auto">Every amount on {name} is exact to the nano-dollar.</p>
        <nav aria-label="Footer" className="flex flex-wrap gap-x-5 gap-y-2">
          {footerLinks.map(({ href, text }) => (
            <Link key={href} href={href} className="transition hover:text-ink">
              {text}
            </Link>
          ))}
        </nav>
      </div>
    </footer>
  );
}
