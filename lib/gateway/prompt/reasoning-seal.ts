// The seal on reasoning that leaves us: signatures and encrypted thoughts go to a client and come back with its next turn. The seal says
// which route made them and for which account, so that they return to that route only, and foreign ones are recognised (decision 0031).

import { createHmac } from "node:crypto";
import type { AccountId } from "@/lib/base/ids";
import { pepper, peppers } from "@/lib/base/pepper";
import { processSingleton } from "@/lib/base/process-singleton";
import { isSameText } from "@/lib/base/same-text";
import type { ModelRoute, ProviderId } from "@/lib/providers/model-route";

/** Reasoning that was sealed for this account, as its maker wrote it. */
export interface OpenedReasoning {
  madeBy: ModelRoute;
  data: string;
}

const sealedForm = /^pp1\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]+)\.(.*)$/s;

/** One line of text around `data`, which may be empty. */
export function sealReasoning(accountId: AccountId, { provider, wireName }: ModelRoute, data: string): string {
  const maker = Buffer.from(JSON.stringify([provider, wireName])).toString("base64url");
  return `pp1.${sign([accountId, maker, data], pepper()).toString("base64url")}.${maker}.${data}`;
}

/** Null when it was not sealed by this service for this account, or was changed since. */
export function openReasoning(accountId: AccountId, sealed: string): OpenedReasoning | null {
  const [, mac, maker, data] = sealedForm.exec(sealed) ?? [];
  if (mac === undefined || maker === undefined || data === undefined) return null;
  if (!peppers().some((each) => isSameText(mac, sign([accountId, maker, data], each).toString("base64url")))) return null;
  const [provider, wireName] = JSON.parse(Buffer.from(maker, "base64url").toString()) as [ProviderId, string]; // our own text
  return { madeBy: { provider, wireName }, data };
}

/** Neither an account's id nor the maker's text has a line break, so no two inputs are signed alike. */
const sign = (parts: [accountId: AccountId, maker: string, data: string], under: string): Buffer =>
  createHmac("sha256", sealKeyOf(under)).update(parts.join("\n")).digest();

const sealKeys = processSingleton("reasoning seal keys", () => new Map<string, Buffer>());

/** A key of its own: all processes of a service share the pepper, which also hashes API keys. Derived once, as a request may hold thousands of seals. */
function sealKeyOf(under: string): Buffer {
  let key = sealKeys().get(under);
  if (!key) {
    key = createHmac("sha256", under).update("reasoning seal 1").digest();
    sealKeys().set(under, key);
  }
  return key;
}
