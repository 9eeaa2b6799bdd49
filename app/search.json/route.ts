// GET /search.json: what the command palette searches, the same for everybody. A page loads it when its palette is first opened.

import { onceADay } from "../(site)/docs/text/once-a-day";
import { buildSearchIndex } from "../(site)/docs/text/search-index";

export const dynamic = "force-dynamic";

export function GET(): Response {
  const text = onceADay("search index", () => JSON.stringify(buildSearchIndex()));
  return new Response(text, { headers: { "content-type": "application/json", "cache-control": "public, max-age=300" } });
}
