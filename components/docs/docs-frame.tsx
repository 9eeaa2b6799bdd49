import type { ReactNode } from "react";
import { DocsNav } from "./docs-nav";

interface DocsFrameProps {
  /** The path of this page. */
  current: string;
  /** The sections of the page, in order. */
  sections?: readonly { id: string; title: ReactNode }[];
  children: ReactNode;
}

const pages = [
  { href: "/docs", text: "Quick start" },
  { href: "/docs/keys", text: "API keys" },
  { href: "/docs/deposits", text: "Deposits" },
  { href: "/docs/withdrawals", text: "Withdrawals" },
  { href: "/docs/account", text: "Account" },
  { href: "/docs/payments", text: "Pay per request" },
  { href: "/docs/x402", text: "x402" },
  { href: "/docs/claude-code", text: "Claude Code" },
  { href: "/docs/codex", text: "Codex" },
  { href: "/docs/clients", text: "Clients" },
  { href: "/docs/images", text: "Images" },
  { href: "/docs/embeddings", text: "Embeddings" },
  { href: "/docs/webhooks", text: "Webhooks" },
  { href: "/docs/api", text: "API reference" },
  { href: "/docs/errors", text: "Errors" },
];

/** A page of the docs with its navigation, at the side on a desktop and above on a phone. */
export function DocsFrame({ current, sections = [], children }: DocsFrameProps) {
  return (
    <div className="gap-10 lg:grid lg:grid-cols-[176px_minmax(0,1fr)]">
      <div className="pt-4 lg:pt-14">
        <div className="lg:sticky lg:top-6 lg:max-h-[calc(100dvh-48px)] lg:overflow-y-auto lg:pb-4">
          <DocsNav pages={pages} current={current} />
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

interface DocsArticleProps extends DocsFrameProps {
  title: string;
  /** One sentence: the page's topic. */
  intro: ReactNode;
}

/** A page of the docs to be read from top to bottom. */
export const DocsArticle = ({ title, intro, children, ...frame }: DocsArticleProps) => (
  <DocsFrame {...frame}>
    <article className="max-w-reading pt-8 lg:pt-12">
      <h1 className="text-xl font-medium tracking-[-0.025em]">{title}</h1>
      <p className="mt-2 text-muted">{intro}</p>
      {children}
    </article>
  </DocsFrame>
);
