// A thought on its way to the client and back: what Anthropic's form has no field for (the kind and the id of another vendor's reasoning)
// travels inside the seal, before the data.

import type { AccountId } from "@/lib/base/ids";
import type { ReasoningBlock } from "@/lib/providers/conversation/messages";
import type { ModelRoute } from "@/lib/providers/model-route";
import { openReasoning, sealReasoning } from "../prompt/reasoning-seal";

type Thought = Pick<ReasoningBlock, "kind" | "data" | "id">;

const letters: Record<ReasoningBlock["kind"], string> = { thinking: "t", redacted: "r", encrypted: "e" };
const kinds = new Map<string | undefined, ReasoningBlock["kind"]>([
  ["t", "thinking"],
  ["r", "redacted"],
  ["e", "encrypted"],
]);

/** The `signature` of a thinking block, or the `data` of a redacted one. */
export const sealThought = (accountId: AccountId, madeBy: ModelRoute, { kind, data, id = "" }: Thought): string =>
  sealReasoning(accountId, madeBy, `${letters[kind]}:${id}:${data}`);

/** Null when it is not this account's, or was changed. */
export function openThought(accountId: AccountId, sealed: string): (Thought & { madeBy: ModelRoute }) | null {
  const opened = openReasoning(accountId, sealed);
  const [, letter, id = "", data = ""] = /^([tre]):([^:]*):(.*)$/s.exec(opened?.data ?? "") ?? [];
  const kind = kinds.get(letter);
  return opened && kind ? { kind, madeBy: opened.madeBy, data, id: id === "" ? undefined : id } : null;
}
