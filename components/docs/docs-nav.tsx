"use client";

import Link from "next/link";
import { useLayoutEffect, useRef } from "react";

interface DocsNavProps {
  pages: readonly { href: string; text: string }[];
  /** The path of this page. */
  current: string;
}

/** The pages of the docs: a column on a desktop, a line on a phone, moved so that this page is in sight. */
export function DocsNav({ pages, current }: DocsNavProps) {
  const line = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const link = line.current?.querySelector<HTMLElement>("[aria-current]");
    if (line.current && link) line.current.scrollLeft = link.offsetLeft - (line.current.clientWidth - link.offsetWidth) / 2;
  }, []);
  return (
    <nav
      ref={line}
      aria-label="Docs"
      className="relative flex gap-5 overflow-x-auto border-b border-line text-sm lg:flex-col lg:gap-0 lg:border-0"
    >
      {pages.map(({ href, text }) => (
        <Link
          key={href}
          href={href}
          aria-current={href === current ? "page" : undefined}
          className="py-2 whitespace-nowrap text-muted transition hover:text-ink aria-[current]:font-medium aria-[current]:text-ink lg:py-1"
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
