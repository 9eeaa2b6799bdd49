import Link from "next/link";

const links = [
  { href: "/models", text: "Models and prices" },
  { href: "/docs", text: "Quick start" },
  { href: "/docs/api", text: "API reference" },
  { href: "/docs/errors", text: "Errors" },
  { href: "/reserves", text: "Reserves" },
  { href: "/status", text: "Status" },
];

export function SiteFooter({ name }: { name: string }) {
  return (
    <footer className="mt-24 border-t border-line">
      <div className="mx-auto flex max-w-wide flex-wrap items-center gap-x-6 gap-y-2 px-5 py-6 text-xs text-muted">
        <p className="mr-auto">{name} counts in whole nano-dollars. Every amount on these pages is exact.</p>
        <nav aria-label="Footer" className="flex flex-wrap gap-x-5 gap-y-2">
          {links.map(({ href, text }) => (
            <Link key={href} href={href} className="transition hover:text-ink">
              {text}
            </Link>
          ))}
        </nav>
      </div>
    </footer>
  );
}
