import { Fragment } from "react";
import { readSite } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsFrame, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { OperationSection, type OperationView } from "@/components/docs/operation-section";
import { chapterLink, DocLink } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { openApiDocument } from "@/lib/gateway/openapi/document";
import { listOperations } from "./operations";

export const metadata = docsMetadata("/docs/api");

export default function ApiReferencePage() {
  const site = readSite();
  const groups = listOperations(site);
  const sections = [
    { id: "basics", title: "Basics" },
    { id: "headers", title: "Headers" },
    ...groups.flatMap(({ operations }) => operations.map((operation) => ({ id: operation.id, title: <NavEntry operation={operation} /> }))),
  ];
  return (
    <DocsFrame path="/docs/api" sections={sections}>
      <div className="max-w-reading pt-8 lg:pt-12">
        <h1 className="text-xl font-medium tracking-[-0.025em]">API reference</h1>
        <p className="mt-2 text-muted">
          Generated from the schemas that validate your requests. Also available as{" "}
          <a href="/api/v1/openapi.json" className={chapterLink}>
            openapi.json
          </a>{" "}
          (OpenAPI 3.1) and, for language models, as{" "}
          <a href="/llms.txt" className={chapterLink}>
            llms.txt
          </a>
          .
        </p>
        <Basics baseUrl={site.baseUrl} />
        <Headers />
      </div>
      {groups.map(({ tag, about, operations }) => (
        <div key={tag} className="mt-14">
          <p className="pb-4 text-sm text-muted">
            <span className="font-medium text-ink">{tag}</span> · {about}
          </p>
          {operations.map((operation) => (
            <OperationSection key={operation.id} operation={operation} />
          ))}
        </div>
      ))}
    </DocsFrame>
  );
}

function NavEntry({ operation: { method, path } }: { operation: OperationView }) {
  const parts = path
    .replace("/api/v1", "")
    .replace(/\{\w+\}/, "…")
    .split(/(?<=.\/)/);
  return (
    <span className="flex items-baseline gap-2 font-mono text-xs">
      <span className="w-7 shrink-0 text-faint">{method}</span>
      <span className="min-w-0 break-words">
        {parts.map((part) => (
          <Fragment key={part}>
            {part}
            <wbr />
          </Fragment>
        ))}
      </span>
    </span>
  );
}

function Basics({ baseUrl }: { baseUrl: string }) {
  return (
    <section aria-labelledby="basics" className="mt-10 space-y-4">
      <h2 id="basics" className="scroll-mt-6 text-lg font-medium tracking-tight">
        Basics
      </h2>
      <CodeBlock title="Base URL" copy={`${baseUrl}/api/v1`} />
      <p>
        Send <Code>Authorization: Bearer pp_…</Code> and JSON in UTF-8, at most 1 MiB, or 32 MiB on endpoints that take images; compressed
        with <Code>gzip</Code>, <Code>deflate</Code>, <Code>br</Code> or <Code>zstd</Code>, that is its size when unpacked. Amounts are in
        USD, exact to nine decimal places. An error is JSON with <Code>error</Code>, <Code>code</Code>, <Code>details</Code> and{" "}
        <Code>requestId</Code>; see <DocLink href="/docs/errors">all codes</DocLink>. We only add fields to v1; we never rename, remove or
        redefine them.
      </p>
      <p>
        Requests are paid from your account balance, <DocLink href="/docs/payments">by a wallet signature</DocLink>, or without a key{" "}
        <DocLink href="/docs/x402">with x402</DocLink>. Clients of Anthropic use the base URL without <Code>/v1</Code>; see{" "}
        <DocLink href="/docs/claude-code">Claude Code</DocLink>.
      </p>
    </section>
  );
}

function Headers() {
  const rows = Object.entries(openApiDocument().components.headers).map(([name, { description }]) => [name, description] as const);
  return (
    <section aria-labelledby="headers" className="mt-10 space-y-4">
      <h2 id="headers" className="scroll-mt-6 text-lg font-medium tracking-tight">
        Headers
      </h2>
      <p>Every response, including errors, has the request ID and your remaining limits.</p>
      <FieldTable heading="Header" rows={rows} />
    </section>
  );
}
