import Link from "next/link";
import type { ReactNode } from "react";

interface ChoiceLinksProps {
  /** The name of the choice, for screen readers. */
  label: string;
  choices: readonly { href: string; text: ReactNode; isCurrent: boolean }[];
}

/** Links of which one is chosen, at the head of a panel. */
export const ChoiceLinks = ({ label, choices }: ChoiceLinksProps) => (
  <nav aria-label={label} className="flex gap-4">
    {choices.map(({ href, text, isCurrent }) => (
      <Link
        key={href}
        href={href}
        scroll={false}
        aria-current={isCurrent ? "true" : undefined}
        className="py-1 underline-offset-4 transition hover:text-ink aria-[current]:font-medium aria-[current]:text-ink aria-[current]:underline aria-[current]:decoration-copper aria-[current]:decoration-2"
      >
        {text}
      </Link>
    ))}
  </nav>
);
