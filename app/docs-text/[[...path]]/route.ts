// A page of the docs as Markdown: next.config.ts leads /docs/keys.md here, and /docs/keys from a client that prefers text/markdown.

import { findMarkdownPage } from "@/app/(site)/docs/text/markdown-pages";
import { readSite } from "@/app/site";

export const dynamic = "force-dynamic";

export async function GET(_: Request, { params }: { params: Promise<{ path?: string[] }> }): Promise<Response> {
  const { path = [] } = await params;
  const text = findMarkdownPage(["/docs", ...path].join("/"));
  const headers = { "content-type": "text/markdown; charset=utf-8", vary: "accept" };
  if (text !== null) return new Response(text, { headers: { ...headers, "cache-control": "public, max-age=300" } });
  return new Response(`# Page not found\n\nAll pages: ${readSite().baseUrl}/llms.txt\n`, { status: 404, headers });
}
