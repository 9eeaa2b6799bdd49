// The pages of the docs, in the order of the navigation. Navigation, search, llms.txt and each page's head read this table.

interface DocsPage {
  title: string;
  /** For search engines, and for lists of pages. */
  description: string;
  /** The sentence below the title. */
  intro?: string;
  group: (typeof docsGroups)[number];
}

export const docsGroups = ["Get started", "Clients", "API", "Money", "Account"] as const;

const pages = {
  "/docs": {
    group: "Get started",
    title: "Quick start",
    description: "Send your first request with curl, TypeScript or Python, read the response, and handle errors.",
    intro: "Create a key, send a prompt, and see what it cost.",
  },
  "/docs/claude-code": {
    group: "Clients",
    title: "Claude Code",
    description: "Run Claude Code and Anthropic's SDK with any model here, paid from your balance.",
    intro: "Claude Code and Anthropic’s SDK work with a different base URL and key.",
  },
  "/docs/codex": {
    group: "Clients",
    title: "Codex",
    description: "Use Codex CLI with any model, paid in USDC: config.toml, models, tools and cost.",
    intro: "Use Codex CLI with any model that answers prompts.",
  },
  "/docs/clients": {
    group: "Clients",
    title: "SDKs and Cursor",
    description: "Set up the OpenAI SDK, the Vercel AI SDK, LangChain and Cursor.",
    intro: "Change the base URL and the key. Everything else stays the same.",
  },
  "/docs/api": {
    group: "API",
    title: "API reference",
    description: "Every API endpoint: parameters, request body, response, errors, and an example you can run.",
    intro: "Generated from the schemas that validate your requests.",
  },
  "/docs/errors": {
    group: "API",
    title: "Errors",
    description: "Every API error code: its status, when it happens, how to fix it, and whether to retry.",
  },
  "/docs/images": {
    group: "API",
    title: "Images",
    description: "Send images to models: endpoints, formats, limits and cost.",
    intro: "Send images along with text to models that accept them.",
  },
  "/docs/embeddings": {
    group: "API",
    title: "Embeddings",
    description: "Create embeddings in OpenAI's format: models, batches and cost.",
    intro: "Turn texts into embeddings, in OpenAI’s format.",
  },
  "/docs/webhooks": {
    group: "API",
    title: "Webhooks",
    description:
      "Get notified about deposits, low balance and key activity: receivers in TypeScript and Python, events, retries and email.",
    intro: "Get notified about deposits, low balance and key activity.",
  },
  "/docs/prices": {
    group: "Money",
    title: "Prices and fees",
    description: "What models, deposits and withdrawals cost: the margin over the provider's list price, fees, and minimum amounts.",
    intro: "Everything you can be charged for, and how each price is set.",
  },
  "/docs/deposits": {
    group: "Money",
    title: "Deposits",
    description: "Deposit USDC on Base or Solana: addresses, minimum, timing and deposit states.",
    intro: "Deposit USDC on Base or Solana. 1 USDC = $1.00, no fee.",
  },
  "/docs/withdrawals": {
    group: "Money",
    title: "Withdrawals",
    description: "Withdraw USDC to your wallet: fees, limits, what you sign, and withdrawal states.",
    intro: "Withdraw your balance as USDC on Base or Solana.",
  },
  "/docs/payments": {
    group: "Money",
    title: "Pay per request",
    description: "Pay for single requests with a wallet signature: how it works, what a signature can do, and every refusal reason.",
    intro: "Sign an amount with each request. Exactly that amount is paid, once, and the change stays yours. You don’t need a balance.",
  },
  "/docs/x402": {
    group: "Money",
    title: "x402",
    description: "Pay for prompts without an account: x402 version 2 on Base and Solana, with standard clients.",
    intro: "Pay for a prompt from a wallet, without an account, a key or a balance. Standard x402 clients work.",
  },
  "/docs/balance": {
    group: "Money",
    title: "Why your balance is right",
    description:
      "Reserved funds, exact charges, what is never charged, double-entry accounting, continuous checks, and what we don't promise.",
    intro: "How each request is charged, how we check the books, and what that does not prove.",
  },
  "/docs/keys": {
    group: "Account",
    title: "API keys",
    description: "What a key can do, from where, how much it can spend, and how to replace its secret without downtime.",
    intro: "Give each app its own key, with only the access it needs. You manage keys in the console, under Keys.",
  },
  "/docs/account": {
    group: "Account",
    title: "Account",
    description: "Wallets, signatures and sessions, what to do if you lose a wallet, and what is deleted when you close your account.",
    intro: "Your wallets are your account. There is no password, and nobody can reset one.",
  },
  "/docs/privacy": {
    group: "Account",
    title: "Privacy",
    description: "What we store about you and your requests, for how long, and who sees your prompts.",
    intro: "What we store, for how long, and who sees your prompts.",
  },
} satisfies Record<string, DocsPage>;

export type DocsPath = keyof typeof pages;

export const docsPageAt = (path: DocsPath): DocsPage => pages[path];

/** All pages with their paths, in order. */
export const docsPages = Object.keys(pages).map((path) => ({ path: path as DocsPath, ...docsPageAt(path as DocsPath) }));
