import { ActionLink } from "../../ui/action-link";

interface WithdrawalPagesProps {
  /** What takes the address to the withdrawals before these; null when there are none. */
  older: string | null;
  isNewest: boolean;
}

/** From page to page of the withdrawals; nothing where there is one page. */
export function WithdrawalPages({ older, isNewest }: WithdrawalPagesProps) {
  if (isNewest && older === null) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-end gap-2">
      {isNewest ? null : <ActionLink href="/withdraw">Newest</ActionLink>}
      {older === null ? null : <ActionLink href={`/withdraw?before=${encodeURIComponent(older)}`}>Older</ActionLink>}
    </nav>
  );
}
