import { readSite, type Site } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsFrame } from "@/components/docs/docs-frame";
import { OperationArticle, operationSections } from "@/components/docs/operation-article";
import type { OperationView } from "@/components/docs/operation-view";
import { DocLink } from "@/components/docs/section";
import { listOperations } from "./operations";

/** The page of one operation. */
export function OperationPage({ operation }: { operation: OperationView }) {
  const site = readSite();
  const places = listOperations(site).flatMap(({ operations }) =>
    operations.map(({ id, summary }) => ({ href: `/docs/api/${id}`, text: summary })),
  );
  const at = places.findIndex(({ href }) => href.endsWith(`/${operation.id}`));
  return (
    <DocsFrame
      isWide
      path="/docs/api"
      place={{ href: `/docs/api/${operation.id}`, text: operation.summary }}
      below={places}
      sections={operationSections(operation)}
      neighbours={{ previous: places[at - 1] ?? { href: "/docs/api", text: "API reference" }, next: places[at + 1] }}
    >
      <OperationArticle operation={operation} keyHint={keyHint(site)} />
    </DocsFrame>
  );
}

const keyHint = ({ isSandbox }: Site) =>
  isSandbox ? (
    <>
      <Code>npm start</Code> prints the demo key, or <DocLink href="/keys">create one</DocLink>.
    </>
  ) : (
    <>
      No key yet? <DocLink href="/keys">Create one</DocLink>.
    </>
  );
