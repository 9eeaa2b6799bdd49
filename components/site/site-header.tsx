import Link from "next/link";
import { PennyMark } from "./penny-mark";
import type { Theme } from "./theme";
import { ThemeToggle } from "./theme-toggle";

const links = [
  { href: "/models", text: "Models", onPhones: false },
  { href: "/docs", text: "Docs", onPhones: true },
  { href: "/docs/api", text: "API", onPhones: false },
];

interface SiteHeaderProps {
  name: string;
  theme: Theme;
  isSignedIn: boolean;
}

export function SiteHeader({ name, theme, isSignedIn }: SiteHeaderProps) {
  return (
    <header className="border-b border-line">
      <div className="mx-auto flex h-14 max-w-wide items-center gap-4 px-5 sm:gap-6">
        <Link href="/" className="mr-auto flex items-center gap-2.5 text-base font-medium tracking-tight">
          <PennyMark />
          {name}
        </Link>
        <nav aria-label="Main" className="flex items-center gap-4 text-sm text-muted sm:gap-6">
          {links.map(({ href, text, onPhones }) => (
            <Link key={href} href={href} className={`py-2 transition hover:text-ink ${onPhones ? "" : "max-sm:hidden"}`}>
              {text}
            </Link>
          ))}
        </nav>
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
