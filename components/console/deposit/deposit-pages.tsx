import { ActionLink } from "../../ui/action-link";

interface DepositPagesProps {
  /** What takes the address to the deposits before these; null when there are none. */
  older: string | null;
  isNewest: boolean;
}

/** From page to page of the deposits; nothing where there is one page. */
export function DepositPages({ older, isNewest }: DepositPagesProps) {
  if (isNewest && older === null) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-end gap-2">
      {isNewest ? null : <ActionLink href="/deposit">Newest</ActionLink>}
      {older === null ? null : <ActionLink href={`/deposit?before=${encodeURIComponent(older)}`}>Older</ActionLink>}
    </nav>
  );
}
