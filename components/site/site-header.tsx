import Link from "next/link";
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
      <div className="mx-auto flex h-14 max-w-wide items-center gap-6 px-5">
        <Link href="/" className="mr-auto flex items-center gap-2.5 text-base font-medium tracking-tight">
          <PennyMark />
          {name}
        </Link>
        <nav aria-label="Main" className="flex items-center gap-4 text-sm text-muted sm:gap-6">
          {links.map(({ href, text }) => (
            <Link key={href} href={href} className="py-2 transition hover:text-ink">
              {text}
            </Link>
          ))}
        </nav>
        <Link
          href={isSignedIn ? "/overview" : "/connect"}
          className="inline-flex h-8 items-center rounded bg-ink px-3 text-sm font-medium whitespace-nowrap text-paper transition hover:bg-muted"
        >
          {isSignedIn ? "Console" : "Connect wallet"}
        </Link>
        <ThemeToggle initial={theme} />
      </div>
    </header>
  );
}
