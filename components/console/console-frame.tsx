import Link from "next/link";
import type { ReactNode } from "react";
import type { NamedWallet } from "@/lib/console/views/wallet";
import { SearchButton } from "../palette/search-button";
import { PennyMark } from "../site/penny-mark";
import type { Theme } from "../site/theme";
import { ThemeToggle } from "../site/theme-toggle";
import { HeaderBalance } from "./account/header-balance";
import { AccountMenu } from "./account-menu";
import { BottomLinks, SideLinks } from "./console-links";

interface ConsoleFrameProps {
  name: string;
  theme: Theme;
  wallet: NamedWallet;
  onSignOut: () => Promise<void>;
  children: ReactNode;
}

/** The frame around every page of the signed-in area. */
export function ConsoleFrame({ name, theme, wallet, onSignOut, children }: ConsoleFrameProps) {
  return (
    <>
      <header className="border-b border-line">
        <div className="mx-auto flex h-14 max-w-[1312px] items-center gap-2 px-4 md:gap-4 md:px-5">
          <Link href="/" className="mr-auto flex items-center gap-2.5 text-base font-medium tracking-tight">
            <PennyMark />
            <span className="max-md:sr-only">{name}</span>
          </Link>
          <nav aria-label="Site" className="flex items-center gap-5 text-sm text-muted max-md:hidden">
            <Link href="/models" className="py-2 transition hover:text-ink">
              Models
            </Link>
            <Link href="/docs" className="py-2 transition hover:text-ink">
              Docs
            </Link>
          </nav>
          <SearchButton isSignedIn />
          <HeaderBalance />
          <AccountMenu wallet={wallet} onSignOut={onSignOut} />
          <ThemeToggle initial={theme} />
        </div>
      </header>
      <div className="mx-auto flex w-full max-w-[1312px] grow gap-8 px-5 max-md:pb-20">
        <nav aria-label="Console" className="sticky top-0 grid w-40 shrink-0 content-start gap-0.5 self-start py-6 max-md:hidden">
          <SideLinks />
        </nav>
        <main id="content" tabIndex={-1} className="min-w-0 grow pt-6 pb-16 outline-none">
          {children}
        </main>
      </div>
      <nav
        aria-label="Console"
        className="fixed inset-x-0 bottom-0 z-10 flex border-t border-line bg-paper pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        <BottomLinks />
      </nav>
    </>
  );
}
