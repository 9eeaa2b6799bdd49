import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsFrame } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { OperationSection, type OperationView } from "@/components/docs/operation-section";
import { chapterLink, DocLink } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { openApiDocument } from "@/lib/gateway/openapi/document";
import { listOperations } from "./operations";

export const metadata: Metadata = {
  title: "API reference",
  description: "Every operation of the API: its parameters, its body, its answer, its errors, and a line of curl that works as it stands.",
};

export default function ApiReferencePage() {
  const site = readSite();
  const groups = listOperations(site);
  const sections = [
    { id: "basics", title: "Basics" },
    { id: "headers", title: "Headers" },
    ...groups.flatMap(({ operations }) => operations.map((operation) => ({ id: operation.id, title: <NavEntry operation={operation} /> }))),
  ];
  return (
    <DocsFrame current="/docs/api" sections={sections}>
      <div className="max-w-reading pt-8 lg:pt-12">
        <h1 className="text-xl font-medium tracking-[-0.025em]">API reference</h1>
        <p className="mt-2 text-muted">
          Made from the schemas that check your requests. For programs the same stands in{" "}
          <a href="/api/v1/openapi.json" className={chapterLink}>
            openapi.json
          </a>{" "}
          (OpenAPI 3.1) and, for language models, in{" "}
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
  return (
    <span className="flex items-baseline gap-2 font-mono text-xs">
      <span className="w-7 shrink-0 text-faint">{method}</span>
      <span className="break-all">{path.replace("/api/v1", "").replace(/\{.*\}/, "…")}</span>
    </span>
  );
}

function Basics({ baseUrl }: { baseUrl: string }) {
  return (
    <section aria-labelledby="basics" className="mt-10 space-y-4">
      <h2 id="basics" className="scroll-mt-6 text-lg font-medium tracking-tight">
        Basics
      </h2>
      <CodeBlock title="Base address" copy={`${baseUrl}/api/v1`} />
      <p>
        Send <Code>Authorization: Bearer pp_…</Code> and JSON in UTF-8, at most 1 MiB. Amounts are USD: exact decimal numbers of at most
        nine places. An error is JSON with <Code>error</Code>, <Code>code</Code>, <Code>details</Code> and <Code>requestId</Code>; every
        code has <DocLink href="/docs/errors">its page</DocLink>. A field is only ever added to v1; it is never renamed, removed or given
        another meaning.
      </p>
      <p>
        A request is paid from the balance of its key, or <DocLink href="/docs/payments">by a wallet that signs for it</DocLink>; without
        any key, <DocLink href="/docs/x402">by x402</DocLink>.
      </p>
    </section>
  );
}

function Headers() {
  const rows = Object.entries(openApiDocument().components.headers).map(([name, { description }]) => ({ name, about: description }));
  return (
    <section aria-labelledby="headers" className="mt-10 space-y-4">
      <h2 id="headers" className="scroll-mt-6 text-lg font-medium tracking-tight">
        Headers
      </h2>
      <p>Every answer, an error too, names its request and says what is left of your limits.</p>
      <FieldTable heading="Header" rows={rows} />
    </section>
  );
}
