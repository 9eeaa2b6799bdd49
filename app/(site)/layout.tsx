import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { hasSessionCookie } from "@/app/session-cookie";
import { readSite } from "@/app/site";
import { SiteFooter } from "@/components/site/site-footer";
import { SiteHeader } from "@/components/site/site-header";
import { readTheme, THEME_COOKIE } from "@/components/site/theme";

/** Pages for everybody. They load no wallet code; whoever wants in goes to /connect. */
export default async function SiteLayout({ children }: { children: ReactNode }) {
  const jar = await cookies();
  const { name } = readSite();
  return (
    <>
      <SiteHeader name={name} theme={readTheme(jar.get(THEME_COOKIE)?.value)} isSignedIn={hasSessionCookie(jar)} />
      <main id="content" tabIndex={-1} className="mx-auto w-full max-w-wide grow px-5 outline-none">
        {children}
      </main>
      <SiteFooter name={name} />
    </>
  );
}
