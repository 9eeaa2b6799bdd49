import Link from "next/link";
import { readSite, type Site } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsFrame, DocsTitle, docsMetadata } from "@/components/docs/docs-frame";
import { docsPageAt } from "@/components/docs/docs-pages";
import { FieldTable } from "@/components/docs/field-table";
import { OldAnchors } from "@/components/docs/old-anchors";
import type { OperationView } from "@/components/docs/operation-view";
import { chapterLink, DocLink, Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { openApiDocument } from "@/lib/gateway/openapi/document";
import { listOperations } from "./operations";

export const metadata = docsMetadata("/docs/api");

export default function ApiReferencePage() {
  const site = readSite();
  const groups = listOperations(site);
  const sections = [
    { id: "basics", title: "Basics" },
    ...groups.map(({ tag }) => ({ id: tag.toLowerCase(), title: tag })),
    { id: "headers", title: "Headers" },
  ];
  return (
    <DocsFrame path="/docs/api" sections={sections}>
      <DocsTitle
        title={docsPageAt("/docs/api").title}
        intro={
          <>
            {docsPageAt("/docs/api").intro} Also available as{" "}
            <a href="/api/v1/openapi.json" className={chapterLink}>
              openapi.json
            </a>{" "}
            (OpenAPI 3.1) and, for language models, as{" "}
            <a href="/llms.txt" className={chapterLink}>
              llms.txt
            </a>
            .
          </>
        }
      />
      {basics(site)}
      {groups.map(({ tag, about, operations }) => (
        <Section key={tag} id={tag.toLowerCase()} title={tag}>
          <p className="text-muted">{about}</p>
          <OperationList operations={operations} />
        </Section>
      ))}
      {headers()}
      <OldAnchors ids={groups.flatMap(({ operations }) => operations.map(({ id }) => id))} />
    </DocsFrame>
  );
}

/** Each row has the id that the operation had when all of them were on this page. */
const OperationList = ({ operations }: { operations: readonly OperationView[] }) => (
  <ul className="border-t border-edge text-sm">
    {operations.map(({ id, method, path, summary }) => (
      <li key={id} id={id} className="scroll-mt-6 border-b border-line">
        <Link href={`/docs/api/${id}`} className="group block py-2.5 transition hover:bg-panel">
          <span className="font-medium underline-offset-4 group-hover:underline">{summary}</span>{" "}
          <span className="block font-mono text-xs text-muted">
            <span className="text-copper-ink">{method}</span> <span className="break-all">{path}</span>
          </span>
        </Link>
      </li>
    ))}
  </ul>
);

const basics = ({ baseUrl }: Site) => (
  <Section id="basics" title="Basics">
    <CodeBlock title="Base URL" copy={`${baseUrl}/api/v1`} />
    <p>
      Send <Code>Authorization: Bearer pp_…</Code> and a JSON body in UTF-8, at most 1 MiB, or 32 MiB on endpoints that accept images.
      Bodies can be compressed with <Code>gzip</Code>, <Code>deflate</Code>, <Code>br</Code> or, if the server runs Node.js 22.15 or newer,{" "}
      <Code>zstd</Code>; the limit applies to the decompressed size. Amounts are in USD, exact to nine decimal places. Errors are JSON with{" "}
      <Code>error</Code>, <Code>code</Code>, <Code>details</Code> and <Code>requestId</Code>, or in OpenAI’s or Anthropic’s format on their
      endpoints; see <DocLink href="/docs/errors">all error codes</DocLink>. We only add fields to v1; we never rename, remove or redefine
      them.
    </p>
    <p>
      Requests are paid from your account balance, <DocLink href="/docs/payments">with a wallet signature</DocLink>, or without a key{" "}
      <DocLink href="/docs/x402">through x402</DocLink>. Anthropic’s clients use the base URL without <Code>/v1</Code>; see{" "}
      <DocLink href="/docs/claude-code">Claude Code</DocLink>.
    </p>
  </Section>
);

function headers() {
  const rows = Object.entries(openApiDocument().components.headers).map(([name, { description }]) => [name, description] as const);
  return (
    <Section id="headers" title="Headers">
      <p>
        Every response, including errors, has the request ID and your remaining limits. Without an API key, the limits are those of your IP
        network.
      </p>
      <FieldTable heading="Header" rows={rows} />
    </Section>
  );
}
