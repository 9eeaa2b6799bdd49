import { Badge } from "../../ui/badge";
import { momentText } from "../../ui/time-text";
import type { KeyView } from "./key-view";

const states = {
  active: { tone: "good", text: "active" },
  paused: { tone: "waiting", text: "paused" },
  expired: { tone: "bad", text: "expired" },
  revoked: { tone: "plain", text: "revoked" },
} as const;

/** What a call with the key meets now. */
export function KeyState({ item: { state, expiresAt, revokedAt } }: { item: KeyView }) {
  const { tone, text } = states[state];
  const since = state === "revoked" ? revokedAt : state === "expired" ? expiresAt : null;
  return (
    <span title={since ? momentText(since) : undefined}>
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}
