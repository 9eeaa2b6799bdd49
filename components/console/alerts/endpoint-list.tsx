import { MailIcon } from "lucide-react";
import { Badge, type Tone } from "@/components/ui/badge";
import { LocalTime } from "@/components/ui/text/local-time";
import type { AlertEndpoint, AlertEndpointState, EventChoice } from "@/lib/console/views/alerts";
import { ActionButton } from "../action-button";
import type { EndpointActions } from "./alert-actions";
import { EndpointMenu } from "./endpoint-menu";

interface EndpointListProps {
  endpoints: readonly AlertEndpoint[];
  choices: readonly EventChoice[];
  actions: EndpointActions;
  frozen: boolean;
}

/** The destinations: where each is, what it gets, and whether it answers. */
export const EndpointList = ({ endpoints, choices, actions, frozen }: EndpointListProps) => (
  <ul aria-label="Destinations" className="text-sm">
    {endpoints.map((item) => (
      <li key={item.id} className="flex items-start gap-3 border-b border-line py-3 first:border-t">
        <div className="flex min-w-0 grow flex-wrap gap-x-3 gap-y-1 md:grid md:gap-x-4 md:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,2fr)] md:items-baseline">
          <span className="min-w-0 max-md:w-full">
            <span className={`block truncate ${item.ownName === "" ? "font-mono" : "font-medium"}`} title={item.target}>
              {item.name}
            </span>
            <span className="text-xs text-muted [overflow-wrap:anywhere]">
              {kinds[item.kind]}
              {item.ownName === "" ? null : ` · ${item.host}`}
              {item.oldSecretUntil ? (
                <>
                  {" · "}old secret works until <LocalTime at={item.oldSecretUntil} shape="short" />
                </>
              ) : null}
            </span>
          </span>
          <span className="text-muted">{item.types ? `${item.types.length} of ${choices.length} events` : "All events"}</span>
          <EndpointState item={item} ask={frozen ? null : actions.requestConfirmation} />
        </div>
        {frozen ? null : <EndpointMenu item={item} choices={choices} actions={actions} />}
      </li>
    ))}
  </ul>
);

const kinds = { webhook: "Webhook", chat: "Slack or Discord", email: "Email" };

const states: Readonly<Record<AlertEndpointState, { tone: Tone; word: string; reason: string }>> = {
  active: { tone: "good", word: "active", reason: "" },
  failing: { tone: "waiting", word: "degraded", reason: "Failed or slow responses since" },
  resting: { tone: "waiting", word: "paused", reason: "after failed or slow responses, until" },
  off: { tone: "plain", word: "off", reason: "You turned it off." },
  gone: { tone: "bad", word: "off", reason: "It answered 410 Gone." },
  failed: { tone: "bad", word: "off", reason: "Every attempt failed for five days, since" },
  unsubscribed: { tone: "bad", word: "off", reason: "Its recipient unsubscribed." },
  unconfirmed: { tone: "waiting", word: "waiting for confirmation", reason: "Open the link in our email." },
};

interface EndpointStateProps {
  item: AlertEndpoint;
  /** Null for a frozen account. */
  ask: EndpointActions["requestConfirmation"] | null;
}

function EndpointState({ item: { id, state, at }, ask }: EndpointStateProps) {
  const { tone, word, reason } = states[state];
  const isAsking = state === "unconfirmed" || state === "unsubscribed";
  return (
    <span className="flex flex-wrap items-baseline gap-x-2.5 gap-y-0.5">
      <Badge tone={tone}>{word}</Badge>
      {reason ? (
        <span className="text-xs text-muted">
          {reason} {at ? <LocalTime at={at} shape="short" /> : null}
        </span>
      ) : null}
      {isAsking && ask ? (
        <ActionButton
          action={ask}
          input={{ endpointId: id }}
          done="Sent. Open the link in the email."
          icon={<MailIcon aria-hidden="true" />}
        >
          {state === "unconfirmed" ? "Send again" : "Ask again"}
        </ActionButton>
      ) : null}
    </span>
  );
}
