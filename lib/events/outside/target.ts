// The URLs that an owner may name for an endpoint.

import { isTooLong, textLimits, tooLongText } from "@/lib/base/typed/text-limits";
import { AddressRefused, isOwnMachine, publicAddresses } from "./addresses";

type Checked<Value> = ({ ok: true } & Value) | { ok: false; problem: string };

/** The URL as it is stored, or its problem. */
export async function checkTarget(text: string): Promise<Checked<{ url: string }>> {
  const read = readTarget(text);
  if (!read.ok) return read;
  try {
    await publicAddresses(read.url.hostname);
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    return { ok: false, problem: `${error.message} Enter a URL that is reachable from the internet.` };
  }
  return { ok: true, url: read.url.href };
}

/** The part of the check that needs no network. */
export function readTarget(text: string): Checked<{ url: URL }> {
  const refuse = (problem: string) => ({ ok: false, problem }) as const;
  if (isTooLong(text, textLimits.url)) return refuse(tooLongText(text, textLimits.url));
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) return refuse("Enter a full URL: https://example.com/webhooks.");
  if (url.username || url.password) return refuse("Remove the user name and password from the URL. Check our signature instead.");
  const name = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol === "http:" && !isOwnMachine(name)) return refuse("The URL must begin with https://.");
  url.hash = "";
  return { ok: true, url };
}
