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

function Limits({ item }: { item: OwnKey }) {
  const parts = limitsOf(item);
  if (parts.length === 0) return null;
  return (
    <span className="mt-1 flex flex-wrap gap-x-1 text-xs text-muted">
      {parts.map(({ id, title, text }, index) => (
        <span key={id} title={title}>
          {text}
          {index < parts.length - 1 ? " ·" : ""}
        </span>
      ))}
    </span>
  );
}

interface LimitPart {
  id: string;
  text: string;
  title?: string;
}

/** The limits of the key, as short texts. */
function limitsOf({ models, expiresAt, clipMinTokens, state, scopes, networks, oldSecret }: OwnKey): LimitPart[] {
  const parts: LimitPart[] = [];
  const [first = ""] = models ?? [];
  if (!scopes.includes("prompt")) parts.push({ id: "scopes", text: "read only" });
  else if (!scopes.includes("read")) parts.push({ id: "scopes", text: "prompts only" });
  if (models) parts.push({ id: "models", text: models.length === 1 ? first : `${models.length} models`, title: models.join("\n") });
  if (networks.length > 0)
    parts.push({
      id: "networks",
      text: networks.length === 1 ? "1 allowed IP range" : `${networks.length} allowed IP ranges`,
      title: networks.join("\n"),
    });
  if (expiresAt)
    parts.push({
      id: "expiry",
      text: `${state === "expired" ? "expired" : "expires"} ${dayText(expiresAt)}`,
      title: momentText(expiresAt),
    });
  if (clipMinTokens !== null)
    parts.push({
      id: "clip",
      text: "shortens answers",
      title: `Answers are shortened to fit the balance and the spending limit, down to ${clipMinTokens} tokens`,
    });
  if (oldSecret) parts.push({ id: "old", text: `old secret …${oldSecret.last4} works until ${momentText(oldSecret.until)}` });
  return parts;
}
