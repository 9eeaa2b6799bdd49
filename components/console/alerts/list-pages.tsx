import { ActionLink } from "@/components/ui/action-link";

interface ListPagesProps {
  /** Names the list: "Pages of deliveries". */
  label: string;
  /** URLs; null when there is no such page. */
  newest: string | null;
  older: string | null;
}

/** Links between the pages of one of the page's lists; nothing when it has only one. */
export const ListPages = ({ label, newest, older }: ListPagesProps) =>
  newest || older ? (
    <nav aria-label={label} className="mt-4 flex justify-end gap-2">
      {newest ? <ActionLink href={newest}>Newest</ActionLink> : null}
      {older ? <ActionLink href={older}>Older</ActionLink> : null}
    </nav>
  ) : null;
