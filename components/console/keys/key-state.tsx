import type { OwnKey } from "@/lib/console/views/keys";
import { Badge } from "../../ui/badge";
import { momentText } from "../../ui/time-text";

const states = {
  active: { tone: "good", text: "active" },
  paused: { tone: "waiting", text: "paused" },
  expired: { tone: "bad", text: "expired" },
  revoked: { tone: "plain", text: "revoked" },
} as const;

/** What a call with the key meets now. */
export function KeyState({ item: { state, expiresAt, revokedAt } }: { item: OwnKey }) {
  const { tone, text } = states[state];
  const since = state === "revoked" ? revokedAt : state === "expired" ? expiresAt : null;
  return (
    <span title={since ? momentText(since) : undefined}>
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}
