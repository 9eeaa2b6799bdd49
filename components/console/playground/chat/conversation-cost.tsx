import Link from "next/link";
import { Amount } from "@/components/ui/text/amount";
import { FoldSummary } from "../../../ui/fold-summary";
import { type Conversation, costOfConversation } from "./conversation";

/** The newest receipts that are linked. */
const MAX_LINKS = 20;

/** The cost of the conversation so far, with its receipts. */
export function ConversationCost({ conversation }: { conversation: Conversation }) {
  const { charged, receipts, requestIds, open } = costOfConversation(conversation);
  const count = receipts === 1 ? "1 receipt" : `${receipts} receipts`;
  if (receipts === 0) return null;
  return (
    <details className="text-xs text-muted">
      <FoldSummary className="min-h-8 w-fit max-md:min-h-11">
        This conversation:{" "}
        <span className="font-mono text-ink">
          <Amount nano={charged} />
        </span>{" "}
        in {count}
        {open === 0 ? "" : open === 1 ? ", and 1 run in progress" : `, and ${open} runs in progress`}
      </FoldSummary>
      <ul className="mt-1 grid gap-1 pb-1">
        {requestIds.slice(-MAX_LINKS).map((id) => (
          <li key={id}>
            <Link href={`/usage?request=${id}`} className="font-mono underline underline-offset-2 hover:text-ink">
              {id}
            </Link>
          </li>
        ))}
        {receipts > Math.min(requestIds.length, MAX_LINKS) ? (
          <li>
            <Link href="/usage" className="underline underline-offset-2 hover:text-ink">
              All receipts in Usage
            </Link>
          </li>
        ) : null}
      </ul>
    </details>
  );
}
