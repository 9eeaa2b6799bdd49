// Every page of the docs as text: the list that Markdown, llms-full.txt and the search index are made of. It reads the pages themselves, so
// that each fact stands once.

import type { ReactNode } from "react";
import { readSite } from "@/app/site";
import { type DocsPath, docsPageAt, docsPages } from "@/components/docs/docs-pages";
import AccountDocsPage from "../account/page";
import { OperationPage } from "../api/operation-page";
import { listOperations } from "../api/operations";
import ApiReferencePage from "../api/page";
import BalanceDocsPage from "../balance/page";
import ClaudeCodePage from "../claude-code/page";
import ClientsPage from "../clients/page";
import CodexPage from "../codex/page";
import DepositsPage from "../deposits/page";
import EmbeddingsPage from "../embeddings/page";
import { ErrorCodePage } from "../errors/error-page";
import { findErrorPage, listErrors } from "../errors/error-pages";
import ErrorsPage from "../errors/page";
import ImagesPage from "../images/page";
import KeysDocsPage from "../keys/page";
import DocsPage from "../page";
import PaymentsDocsPage from "../payments/page";
import PricesDocsPage from "../prices/page";
import PrivacyDocsPage from "../privacy/page";
import WebhooksPage from "../webhooks/page";
import WithdrawalsPage from "../withdrawals/page";
import X402DocsPage from "../x402/page";
import { readArticle, type TextNode } from "./read-tree";

export interface DocText {
  /** `/docs/keys` */
  path: string;
  title: string;
  /** The title of the page of the navigation that it belongs to, if it is none itself. */
  parent: string | null;
  read: () => readonly TextNode[];
}

const pages: Readonly<Record<DocsPath, () => ReactNode>> = {
  "/docs": DocsPage,
  "/docs/claude-code": ClaudeCodePage,
  "/docs/codex": CodexPage,
  "/docs/clients": ClientsPage,
  "/docs/api": ApiReferencePage,
  "/docs/errors": ErrorsPage,
  "/docs/images": ImagesPage,
  "/docs/embeddings": EmbeddingsPage,
  "/docs/webhooks": WebhooksPage,
  "/docs/prices": PricesDocsPage,
  "/docs/deposits": DepositsPage,
  "/docs/withdrawals": WithdrawalsPage,
  "/docs/payments": PaymentsDocsPage,
  "/docs/x402": X402DocsPage,
  "/docs/balance": BalanceDocsPage,
  "/docs/keys": KeysDocsPage,
  "/docs/account": AccountDocsPage,
  "/docs/privacy": PrivacyDocsPage,
};

/** All pages, those below another after it. */
export function listDocTexts(): DocText[] {
  const site = readSite();
  const operations = listOperations(site)
    .flatMap(({ operations }) => operations)
    .map((operation) => ({
      path: `/docs/api/${operation.id}`,
      title: operation.summary,
      read: () => readArticle(<OperationPage operation={operation} />),
    }));
  const errors = listErrors().flatMap(({ code }) => {
    const page = findErrorPage(code);
    return page ? [{ path: `/docs/errors/${code}`, title: code, read: () => readArticle(<ErrorCodePage page={page} />) }] : [];
  });
  const below: Partial<Record<DocsPath, Omit<DocText, "parent">[]>> = { "/docs/api": operations, "/docs/errors": errors };
  return docsPages.flatMap(({ path, title }) => {
    const Page = pages[path];
    const own: DocText = { path, title, parent: null, read: () => readArticle(<Page />) };
    return [own, ...(below[path] ?? []).map((page) => ({ ...page, parent: docsPageAt(path).title }))];
  });
}
