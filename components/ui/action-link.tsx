import Link from "next/link";
import type { ReactNode } from "react";

interface ActionLinkProps {
  href: string;
  children: ReactNode;
  /** One per page; all others are plain. */
  primary?: boolean;
}

const looks = {
  primary: "bg-ink text-paper hover:bg-muted",
  plain: "border border-edge text-ink hover:bg-panel",
};

/** A link that looks like a button. */
export function ActionLink({ href, children, primary = false }: ActionLinkProps) {
  return (
    <Link
      href={href}
      className={`inline-flex h-10 items-center rounded px-4 text-sm font-medium transition ${looks[primary ? "primary" : "plain"]}`}
    >
      {children}
    </Link>
  );
}
