import { RotateCcwIcon } from "lucide-react";
import { Badge, type Tone } from "@/components/ui/badge";
import { CodeBlock } from "@/components/ui/code-block";
import { LocalTime } from "@/components/ui/text/local-time";
import { countText } from "@/components/ui/text/number-text";
import { prettyJson } from "@/components/ui/text/pretty-json";
import type { AlertDelivery } from "@/lib/console/views/alerts";
import type { Answer } from "@/lib/console/views/answer";
import { FoldSummary } from "../../ui/fold-summary";
import { ActionButton } from "../action-button";

interface DeliveryListProps {
  deliveries: readonly AlertDelivery[];
  sendAgain: (input: { deliveryId: string }) => Promise<Answer>;
  frozen: boolean;
}

/** The deliveries: each opens to its attempts and the request's body. */
export const DeliveryList = ({ deliveries, sendAgain, frozen }: DeliveryListProps) => (
  <ul aria-label="Deliveries" className="text-sm">
    {deliveries.map((item) => (
      <li key={item.id} className="border-b border-line first:border-t">
        <details>
          <FoldSummary className="items-start gap-2 py-3 hover:bg-panel" chevronClassName="mt-0.5">
            <Line item={item} />
          </FoldSummary>
          <div className="grid gap-4 pt-1 pb-4 pl-6">
            <Attempts item={item} />
            <CodeBlock wraps title="Payload" copy={item.body}>
              {prettyJson(item.body)}
            </CodeBlock>
            {frozen || !item.canResend || item.state === "pending" ? null : (
              <ActionButton
                action={sendAgain}
                input={{ deliveryId: item.id }}
                done="Resending with the same event ID."
                icon={<RotateCcwIcon aria-hidden="true" />}
                className="justify-self-start"
              >
                Resend
              </ActionButton>
            )}
          </div>
        </details>
      </li>
    ))}
  </ul>
);

const tones: Readonly<Record<AlertDelivery["state"], Tone>> = { pending: "waiting", delivered: "good", failed: "bad" };

const attemptsText = (count: number): string => (count === 1 ? "1 attempt" : `${count} attempts`);

const Line = ({ item: { createdAt, type, title, isSample, endpoint, state, tries, last } }: { item: AlertDelivery }) => (
  <span className="grid min-w-0 grow grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-1 md:grid-cols-[7rem_minmax(0,2fr)_minmax(0,2fr)_6rem_minmax(0,2fr)]">
    <span className="text-muted max-md:order-4">
      <LocalTime at={createdAt} shape="short" />
    </span>
    <span className="min-w-0">
      <span className="block truncate">
        {title}
        {isSample ? <span className="text-muted"> (sample)</span> : null}
      </span>
      <span className="block truncate font-mono text-xs text-muted">{type}</span>
    </span>
    <span className="truncate text-muted max-md:order-3" title={endpoint}>
      {endpoint}
    </span>
    <span className="max-md:order-2 max-md:justify-self-end">
      <Badge tone={tones[state]}>{state}</Badge>
    </span>
    <span className="min-w-0 text-muted max-md:order-5 max-md:col-span-2">
      {attemptsText(tries.length)}
      {last ? `, last: ${last}` : null}
    </span>
  </span>
);

function Attempts({ item: { tries, tryAt } }: { item: AlertDelivery }) {
  return (
    <div className="grid gap-1 text-xs">
      {tries.length > 0 ? (
        <ol aria-label="Attempts" className="grid gap-1">
          {tries.map(({ at, ms, status, error, bytes }) => (
            <li key={at} className="flex flex-wrap gap-x-4">
              <LocalTime at={new Date(at)} shape="exact" />
              <span className="text-muted">{countText(Math.round(ms))} ms</span>
              <span>{[status === undefined ? null : `status ${status}`, error].filter(Boolean).join(", ") || "no response"}</span>
              {bytes === undefined ? null : <span className="text-muted">response of {countText(bytes)} bytes</span>}
            </li>
          ))}
        </ol>
      ) : (
        <p className="text-muted">No attempts yet.</p>
      )}
      {tryAt ? (
        <p className="text-muted">
          Next attempt: <LocalTime at={tryAt} shape="exact" />, or later while the destination is paused.
        </p>
      ) : null}
    </div>
  );
}
