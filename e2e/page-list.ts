// Every page with its heading, for tests that check all of them.

export interface ListedPage {
  path: string;
  heading: string | RegExp;
  status: number;
  /** Stands for the pages of its kind in `npm test`; all are tried in `npm run test:long`. */
  isRepresentative?: true;
}

/** The pages to visit: all in a long run, else those that stand for their kind. */
export const pagesToVisit = (pages: readonly ListedPage[]): readonly ListedPage[] =>
  process.env.LONG === "1" ? pages : pages.filter(({ isRepresentative }) => isRepresentative);

export const publicPages: readonly ListedPage[] = [
  { path: "/", heading: "Any model. Pay in USDC, per prompt, to the last nano-dollar.", status: 200, isRepresentative: true },
  { path: "/models", heading: "Models and prices", status: 200, isRepresentative: true },
  { path: "/models/gemini-3.5-flash-lite", heading: "gemini-3.5-flash-lite", status: 200 },
  { path: "/models/text-embedding-3-small", heading: "text-embedding-3-small", status: 200 },
  { path: "/models/no-such-model", heading: "Page not found", status: 404, isRepresentative: true },
  { path: "/docs", heading: "Quick start", status: 200 },
  { path: "/docs/deposits", heading: "Deposits", status: 200 },
  { path: "/docs/withdrawals", heading: "Withdrawals", status: 200 },
  { path: "/docs/account", heading: "Account", status: 200 },
  { path: "/docs/codex", heading: "Codex", status: 200 },
  { path: "/docs/clients", heading: "SDKs and Cursor", status: 200 },
  { path: "/docs/balance", heading: "Why your balance is right", status: 200 },
  { path: "/docs/prices", heading: "Prices and fees", status: 200 },
  { path: "/docs/privacy", heading: "Privacy", status: 200 },
  { path: "/docs/api/createPrompt", heading: "Send a prompt", status: 200, isRepresentative: true },
  { path: "/docs/api/getUsage", heading: "List charged requests", status: 200 },
  { path: "/docs/api/noSuchOperation", heading: "Page not found", status: 404 },
  { path: "/docs/payments", heading: "Pay per request", status: 200, isRepresentative: true },
  { path: "/docs/x402", heading: "x402", status: 200 },
  { path: "/docs/claude-code", heading: "Claude Code", status: 200 },
  { path: "/docs/images", heading: "Images", status: 200 },
  { path: "/docs/keys", heading: "API keys", status: 200 },
  { path: "/docs/embeddings", heading: "Embeddings", status: 200 },
  { path: "/docs/webhooks", heading: "Webhooks", status: 200 },
  { path: "/docs/api", heading: "API reference", status: 200 },
  { path: "/docs/errors", heading: "Errors", status: 200 },
  { path: "/docs/errors/INSUFFICIENT_BALANCE", heading: "INSUFFICIENT_BALANCE", status: 200, isRepresentative: true },
  { path: "/docs/errors/NO_SUCH_CODE", heading: "Page not found", status: 404 },
  { path: "/no/such/page", heading: "Page not found", status: 404 },
  { path: "/status", heading: "All systems operational", status: 200 },
  // The sentence depends on whether the chains already run.
  { path: "/reserves", heading: /^(Fully backed|No report yet|Reserves can’t be checked right now)$/, status: 200, isRepresentative: true },
  { path: "/email/confirm/no-such-link", heading: "This link does not work", status: 200 },
  { path: "/email/unsubscribe/no-such-link", heading: "This link does not work", status: 200 },
  { path: "/connect", heading: "Connect a wallet", status: 200, isRepresentative: true },
];

export const consolePages: readonly ListedPage[] = [
  { path: "/overview", heading: "Overview", status: 200, isRepresentative: true },
  { path: "/keys", heading: "API keys", status: 200 },
  { path: "/deposit", heading: "Deposit", status: 200 },
  { path: "/withdraw", heading: "Withdraw", status: 200, isRepresentative: true },
  { path: "/usage", heading: "Usage", status: 200, isRepresentative: true },
  { path: "/alerts", heading: "Alerts", status: 200 },
  { path: "/playground", heading: "Playground", status: 200, isRepresentative: true },
  { path: "/payments", heading: "Pay per request", status: 200 },
  { path: "/activity", heading: "Activity", status: 200 },
  { path: "/settings", heading: "Settings", status: 200 },
];
