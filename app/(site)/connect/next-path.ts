// Where sign-in leads, and what its page says about that.

import { consoleAreas } from "@/components/console/console-areas";

/** The areas of the console, by the name in their path. */
const titles: ReadonlyMap<string, string> = new Map(consoleAreas.map(({ href, text }) => [href.slice(1), text]));

/** The title of the area at this path of the console; undefined for any other path. */
function titleOf(path: string): string | undefined {
  const area = /^\/([a-z]+)(?:[/?][\w/?=&.,:%+~-]*)?$/.exec(path)?.[1] ?? "";
  return titles.get(area);
}

export const overview = "/overview";

/** The path in the URL; null when there is none, or a forbidden one. */
export const readNextPath = (requested: unknown): string | null =>
  typeof requested === "string" && titleOf(requested) !== undefined ? requested : null;

/** Why a person who was signed in has to sign in again; null for a first visit. */
export function signedOutText(cause: "switched" | "closed" | "ended" | "none", next: string | null): string | null {
  const title = titleOf(next ?? "");
  const target = title === undefined ? "continue" : `return to ${title}`;
  if (cause === "switched") return "Your wallet switched to another account, so you were signed out.";
  if (cause === "closed") return "Your account is closed. Sign in with one of its wallets to open it again.";
  if (cause === "ended") return `Your session has ended. Sign in again to ${target}.`;
  return title === undefined ? null : `You are signed out. Sign in to open ${title}.`;
}
