import { ActionLink } from "../../ui/action-link";

interface PaymentPagesProps {
  /** What takes the address to the payments before these; null when there are none. */
  older: string | null;
  isNewest: boolean;
}

/** From page to page of the payments; nothing where there is one page. */
export function PaymentPages({ older, isNewest }: PaymentPagesProps) {
  if (isNewest && older === null) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-end gap-2">
      {isNewest ? null : <ActionLink href="/payments">Newest</ActionLink>}
      {older === null ? null : <ActionLink href={`/payments?before=${encodeURIComponent(older)}`}>Older</ActionLink>}
    </nav>
  );
}
