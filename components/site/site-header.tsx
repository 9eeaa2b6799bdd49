import Link from "next/link";
import { PennyMark } from "./penny-mark";
import type { Theme } from "./theme";
import { ThemeToggle } from "./theme-toggle";

const links = [
  { href: "/models", text: "Models" },
  { href: "/docs", text: "Docs" },
  { href: "/docs/api", text: "API" },
];

export function SiteHeader({ name, theme }: { name: string; theme: Theme }) {
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
        <ThemeToggle initial={theme} />
      </div>
    </header>
  );
}
