// The answer to a client while the process for pages is away, or where there is none: the API goes on without it.

import type { IncomingMessage, ServerResponse } from "node:http";

const RETRY_AFTER_S = 2;

const away = "The pages are starting again. The API is not affected: it answers as usual.";
const busy = "Many pages are being opened at once. This one loads by itself as soon as there is room.";

/** A browser's own request gets a page that loads itself again; a page's request gets JSON. */
export const showAway = (message: IncomingMessage, response: ServerResponse): void => showLater(message, response, away);

/** The same where too many pages are rendered already. */
export const showBusy = (message: IncomingMessage, response: ServerResponse): void => showLater(message, response, busy);

function showLater(message: IncomingMessage, response: ServerResponse, sentence: string): void {
  const headers = { "retry-after": String(RETRY_AFTER_S), "cache-control": "no-store", "x-content-type-options": "nosniff" };
  if (isNavigation(message)) {
    response.writeHead(503, {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      refresh: String(RETRY_AFTER_S),
    });
    response.end(message.method === "HEAD" ? undefined : html("One moment", sentence));
  } else {
    response.writeHead(503, { ...headers, "content-type": "application/json; charset=utf-8" });
    response.end(JSON.stringify({ reason: "unavailable", error: sentence, message: sentence }));
  }
}

/** A process without pages is asked for one. */
export async function showNoPages(_: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(404, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(
    JSON.stringify({ reason: "no_pages", message: "This process answers the API alone. Pages need a process with ROLES=pages." }),
  );
}

const isNavigation = ({ method = "GET", headers }: IncomingMessage): boolean =>
  (method === "GET" || method === "HEAD") && (headers.accept ?? "").includes("text/html") && headers.rsc === undefined;

const html = (title: string, sentence: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { box-sizing: border-box; min-height: 100vh; margin: 0; display: grid; place-content: center; padding: 2rem; text-align: center }
  p { max-width: 32rem; margin: 0.5rem auto; opacity: 0.8 }
</style>
<h1>${title}</h1>
<p role="status">${sentence}</p>
</html>
`;
