// The set-up as a link. It stands in the fragment, which no browser sends to a server; it never holds a key, nor the conversation.

import * as z from "zod/mini";
import { countText } from "@/components/ui/text/number-text";
import { MAX_JSON_LENGTH, type Setup } from "../chat/setup";

/** Longer links break in mails and chats. */
export const MAX_LINK_LENGTH = 32_000;
const PREFIX = "#setup=";

const text = (most: number) => z._default(z.string().check(z.maxLength(most)), "");

const linked = z.strictObject({
  v: z.literal(1),
  model: z.string().check(z.minLength(1), z.maxLength(100)),
  system: text(MAX_LINK_LENGTH),
  maxTokens: text(40),
  temperature: text(40),
  effort: text(10),
  tools: text(MAX_JSON_LENGTH),
  schema: text(MAX_JSON_LENGTH),
});

/** The link, or why there is none. */
export function writeSetupLink(pageUrl: string, setup: Setup): { ok: true; link: string } | { ok: false; problem: string } {
  const set = Object.fromEntries(Object.entries(setup).filter(([, value]) => value !== ""));
  const fragment = PREFIX + toBase64Url(JSON.stringify({ v: 1, ...set }));
  if (fragment.length > MAX_LINK_LENGTH) {
    const problem = `This set-up is too long for a link: ${countText(fragment.length)} characters. At most ${countText(MAX_LINK_LENGTH)} fit. Shorten the system message, the tools or the schema.`;
    return { ok: false, problem };
  }
  return { ok: true, link: pageUrl.replace(/[?#].*$/s, "") + fragment };
}

export type LinkedSetup = { kind: "none" } | { kind: "setup"; setup: Setup } | { kind: "broken"; problem: string };

/** The set-up of a fragment; `none` where there is no such link. */
export function readSetupLink(fragment: string): LinkedSetup {
  if (!fragment.startsWith(PREFIX)) return { kind: "none" };
  if (fragment.length > MAX_LINK_LENGTH) {
    return broken(`It has ${countText(fragment.length)} characters, and at most ${countText(MAX_LINK_LENGTH)} are read.`);
  }
  const json = fromBase64Url(fragment.slice(PREFIX.length));
  if (json === null) return broken("It was changed or cut on its way.");
  const parsed = linked.safeParse(json);
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join(".");
    return broken(field ? `Its field ${field.slice(0, 40)} is missing or wrong.` : "It has fields that are not known.");
  }
  const { v: _, ...setup } = parsed.data;
  return { kind: "setup", setup };
}

const broken = (reason: string): LinkedSetup => ({
  kind: "broken",
  problem: `This link’s set-up cannot be read. ${reason} Ask for it again.`,
});

function toBase64Url(value: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(value)) bytes += String.fromCharCode(byte);
  return btoa(bytes)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "");
}

/** The JSON value; null for anything else. */
function fromBase64Url(value: string): unknown {
  try {
    const bytes = Uint8Array.from(atob(value.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return null;
  }
}
