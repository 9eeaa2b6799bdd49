import { LocalTime } from "@/components/ui/text/local-time";
import type { ActivityEntry } from "@/lib/console/views/activity";
import { FoldSummary } from "../../ui/fold-summary";

/** Who did what, the newest first. */
export const ActivityList = ({ entries }: { entries: readonly ActivityEntry[] }) => (
  <ol aria-label="Activity" className="text-sm">
    {entries.map(({ id, at, sentence, by, from, changes, signed }) => (
      <li key={id} className="grid gap-x-4 gap-y-0.5 border-b border-line py-2.5 first:border-t md:grid-cols-[10rem_minmax(0,1fr)]">
        <span className="text-muted">
          <LocalTime at={at} />
        </span>
        <div className="min-w-0">
          <p className="[overflow-wrap:anywhere]">{sentence}</p>
          {changes.length > 0 ? (
            <dl className="my-1 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs">
              {changes.map((change) => (
                <div key={change.name} className="contents">
                  <dt className="text-muted">{change.name}</dt>
                  <dd className="[overflow-wrap:anywhere]">
                    {change.before}
                    {change.before !== null && change.after !== null ? (
                      <>
                        {" "}
                        <span aria-hidden="true">→</span> <span className="sr-only">is now</span>{" "}
                      </>
                    ) : null}
                    {change.after}
                  </dd>
                </div>
              ))}
            </dl>
          ) : null}
          {signed === null ? null : <SignedText text={signed} />}
          <p className="text-xs text-muted [overflow-wrap:anywhere]">
            {by}
            {from === null ? null : ` · ${from}`}
          </p>
        </div>
      </li>
    ))}
  </ol>
);

const SignedText = ({ text }: { text: string }) => (
  <details className="my-1 text-xs">
    <FoldSummary className="w-fit py-1 text-muted">Signed message</FoldSummary>
    <pre className="mt-1 rounded border border-edge bg-panel p-3 font-mono whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</pre>
  </details>
);
