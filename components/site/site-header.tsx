import Link from "next/link";
import { SearchButton } from "../palette/search-button";
import { PennyMark } from "./penny-mark";
import type { Theme } from "./theme";
import { ThemeToggle } from "./theme-toggle";

const links = [
  { href: "/models", text: "Models" },
  { href: "/docs", text: "Docs" },
  { href: "/docs/api", text: "API" },
];

interface SiteHeaderProps {
  name: string;
  theme: Theme;
  isSignedIn: boolean;
}

export function SiteHeader({ name, theme, isSignedIn }: SiteHeaderProps) {
  return (
    <header className="border-b border-line">
      <div className="mx-auto flex max-w-wide flex-wrap items-center gap-x-4 px-5 sm:h-14 sm:gap-x-6">
        <Link href="/" className="mr-auto flex h-14 items-center gap-2.5 text-base font-medium tracking-tight">
          <PennyMark />
          {name}
        </Link>
        {/* A row of its own on phones. */}
        <nav aria-label="Main" className="flex items-center gap-6 text-sm text-muted max-sm:order-last max-sm:w-full max-sm:pb-1">
          {links.map(({ href, text }) => (
            <Link key={href} href={href} className="py-2 transition hover:text-ink">
              {text}
            </Link>
          ))}
        </nav>
        <SearchButton isSignedIn={isSignedIn} />
        <Link
          href={isSignedIn ? "/overview" : "/connect"}
          className="inline-flex h-8 items-center rounded bg-ink px-3 text-sm font-medium whitespace-nowrap text-paper transition hover:bg-muted"
        >
          {isSignedIn ? (
            "Console"
          ) : (
            <>
              Connect<span className="max-sm:sr-only">&nbsp;wallet</span>
            </>
          )}
        </Link>
        <ThemeToggle initial={theme} />
      </div>
    </header>
  );
}
