// The table cells of a key.

import { TimeAgo } from "@/components/ui/text/time-ago";
import { dayText, momentText } from "@/components/ui/text/time-text";
import type { OwnKey } from "@/lib/console/views/keys";
import { Badge } from "../../ui/badge";

/** The key's name and its restrictions; on a phone also the contents of the desktop's other columns. */
export const KeyCell = ({ item, nowMs }: { item: OwnKey; nowMs: number }) => (
  <>
    <span className="flex items-center gap-2">
      <span className="truncate font-medium" title={item.name}>
        {item.name}
      </span>
      <span className="md:hidden">
        <KeyState item={item} />
      </span>
    </span>
    <span className="mt-1 flex flex-wrap gap-x-2 gap-y-0.5 text-xs text-muted md:hidden">
      <KeyName item={item} />
      <span>
        {item.lastUsedAt ? (
          <>
            used <TimeAgo at={item.lastUsedAt} nowMs={nowMs} />
          </>
        ) : (
          "never used"
        )}
      </span>
    </span>
    <Limits item={item} />
  </>
);

/** The displayable part of a key: its prefix and last characters. */
export const KeyName = ({ item: { prefix, last4 } }: { item: OwnKey }) => (
  <span className="font-mono whitespace-nowrap">
    {prefix}…{last4}
  </span>
);

const states = {
  active: { tone: "good", text: "active" },
  paused: { tone: "waiting", text: "paused" },
  expired: { tone: "bad", text: "expired" },
  revoked: { tone: "plain", text: "revoked" },
} as const;

/** Whether calls with the key work now. */
export function KeyState({ item: { state, expiresAt, revokedAt } }: { item: OwnKey }) {
  const { tone, text } = states[state];
  const since = state === "revoked" ? revokedAt : state === "expired" ? expiresAt : null;
  return (
    <span title={since ? momentText(since) : undefined}>
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}

function Limits({ item: { models, expiresAt, clipMinTokens, state } }: { item: OwnKey }) {
  const ends = expiresAt ? `${state === "expired" ? "expired" : "expires"} ${dayText(expiresAt)}` : null;
  if (!models && !ends && clipMinTokens === null) return null;
  return (
    <span className="mt-1 block text-xs text-muted">
      {models ? <span title={models.join("\n")}>{models.length === 1 ? models[0] : `${models.length} models`}</span> : null}
      {models && ends ? " · " : null}
      {expiresAt ? (
        <time dateTime={expiresAt.toISOString()} title={momentText(expiresAt)}>
          {ends}
        </time>
      ) : null}
      {clipMinTokens !== null ? (
        <span title={`Answers are shortened to fit balance and cap, down to ${clipMinTokens} tokens`}>
          {models || ends ? " · " : null}shortens answers
        </span>
      ) : null}
    </span>
  );
}
