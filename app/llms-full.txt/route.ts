// GET /llms-full.txt: all pages of the docs as Markdown, one after the other (llmstxt.org).

import { readMarkdownPages } from "../(site)/docs/text/markdown-pages";

export const dynamic = "force-dynamic";

export function GET(): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "public, max-age=300" };
  return new Response(
    readMarkdownPages()
      .map(({ text }) => text)
      .join("\n---\n\n"),
    { headers },
  );
}
