import type { Metadata } from "next";
import { Children, isValidElement, type ReactNode } from "react";
import { DocsNav } from "./docs-nav";
import { Section, type SectionProps } from "./section";

interface DocsFrameProps {
  path: DocsPath;
  /** The sections of the page, in order. */
  sections?: readonly { id: string; title: ReactNode }[];
  children: ReactNode;
}

interface DocsPage {
  title: string;
  /** For search engines. */
  description: string;
  /** One sentence below the title: the page's topic. */
  intro?: string;
}

/** By path, in the order of the navigation. */
const pages = {
  "/docs": {
    title: "Quick start",
    description: "Send your first request with curl, TypeScript or Python, read the response, and handle errors.",
    intro: "Create a key, send a prompt, see what it cost.",
  },
  "/docs/keys": {
    title: "API keys",
    description: "What a key may do, from where, how much it may spend, and how to give it a new secret without an outage.",
    intro: "Give each app its own key, with no more than it needs. Create and change keys in the console, under API keys.",
  },
  "/docs/deposits": {
    title: "Deposits",
    description: "Deposit USDC on Base or Solana: addresses, minimum, timing and deposit states.",
    intro: "Deposit USDC on Base or Solana. 1 USDC = $1.00, no fee.",
  },
  "/docs/withdrawals": {
    title: "Withdrawals",
    description: "Withdraw USDC to your wallet: fees, limits, what you sign, and withdrawal states.",
    intro: "Withdraw your balance as USDC on Base or Solana.",
  },
  "/docs/account": {
    title: "Account",
    description: "Wallets, signatures and sessions, what to do when a wallet is lost, and what is erased when you close your account.",
    intro: "Your wallets are your account. There is no password, and nobody can reset one.",
  },
  "/docs/payments": {
    title: "Pay per request",
    description: "Pay for single requests with a wallet signature: how it works, what a signature can do, and every refusal reason.",
    intro: "Sign an amount with each request. Exactly that amount is paid, once. No balance needed.",
  },
  "/docs/x402": {
    title: "x402",
    description: "Pay for prompts without an account: x402 version 2 on Base and Solana, with standard clients.",
    intro: "Pay for a prompt from a wallet: no account, no key, no balance. Standard x402 clients work.",
  },
  "/docs/claude-code": {
    title: "Claude Code",
    description: "Run Claude Code and Anthropic's SDK with any model here, paid from your balance.",
    intro: "Claude Code and Anthropic’s SDK work with a different base URL and key.",
  },
  "/docs/codex": {
    title: "Codex",
    description: "Use Codex CLI with any model, paid in USDC: config.toml, models, tools and limits.",
    intro: "Use Codex CLI with any model of the catalogue.",
  },
  "/docs/clients": {
    title: "Clients",
    description: "Set up Cursor, LangChain, the OpenAI SDK and the Vercel AI SDK.",
    intro: "Change the base URL and the key; everything else stays.",
  },
  "/docs/images": {
    title: "Images",
    description: "Send images to models: formats, limits, and what they cost.",
    intro: "Send images beside text to models that take them.",
  },
  "/docs/embeddings": {
    title: "Embeddings",
    description: "Turn texts into embeddings with OpenAI's format: models, batches, and what they cost.",
    intro: "Turn texts into embeddings, in OpenAI’s format.",
  },
  "/docs/webhooks": {
    title: "Webhooks",
    description: "Hear of deposits, low balances and stopped keys: receivers in TypeScript and Python, events, retries, e-mail.",
    intro: "Hear of deposits, low balances and stopped keys before your agents do.",
  },
  "/docs/api": {
    title: "API reference",
    description: "Every API endpoint: parameters, request body, response, errors and a working curl example.",
  },
  "/docs/errors": {
    title: "Errors",
    description: "Every API error code: its status, when it happens, how to fix it, and whether to retry.",
  },
} satisfies Record<string, DocsPage>;

type DocsPath = keyof typeof pages;

const pageAt = (path: DocsPath): DocsPage => pages[path];

const navigation = Object.entries(pages).map(([href, { title }]) => ({ href, text: title }));

/** The head of the page. */
export function docsMetadata(path: DocsPath): Metadata {
  const { title, description } = pageAt(path);
  return { title, description };
}

/** A page of the docs with its navigation, at the side on a desktop and above on a phone. */
export function DocsFrame({ path, sections = [], children }: DocsFrameProps) {
  return (
    <div className="gap-10 lg:grid lg:grid-cols-[176px_minmax(0,1fr)]">
      <div className="pt-4 lg:pt-14">
        <div className="lg:sticky lg:top-6 lg:max-h-[calc(100dvh-48px)] lg:overflow-y-auto lg:pb-4">
          <DocsNav pages={navigation} current={path} />
          {sections.length > 0 ? <Sections sections={sections} /> : null}
        </div>
      </div>
      <div className="min-w-0">{children}</div>
    </div>
  );
}

function Sections({ sections }: Required<Pick<DocsFrameProps, "sections">>) {
  const links = sections.map(({ id, title }) => (
    <li key={id}>
      <a href={`#${id}`} className="block py-1 transition hover:text-ink">
        {title}
      </a>
    </li>
  ));
  return (
    <>
      <nav aria-label="On this page" className="mt-3 border-t border-line pt-3 text-sm text-muted max-lg:hidden">
        <ul>{links}</ul>
      </nav>
      <details className="border-b border-line text-sm text-muted lg:hidden">
        <summary className="cursor-pointer py-2.5">On this page</summary>
        <ul className="pb-3 pl-4">{links}</ul>
      </details>
    </>
  );
}

interface DocsArticleProps {
  path: DocsPath;
  /** Chapters, each a `Section`; others are not in the navigation. */
  children: ReactNode;
}

/** A page of the docs to be read from top to bottom. */
export function DocsArticle({ path, children }: DocsArticleProps) {
  const { title, intro } = pageAt(path);
  const sections = Children.toArray(children).flatMap((child) =>
    isValidElement<SectionProps>(child) && child.type === Section ? [child.props] : [],
  );
  return (
    <DocsFrame path={path} sections={sections}>
      <article className="max-w-reading pt-8 lg:pt-12">
        <h1 className="text-xl font-medium tracking-[-0.025em]">{title}</h1>
        <p className="mt-2 text-muted">{intro}</p>
        {children}
      </article>
    </DocsFrame>
  );
}
