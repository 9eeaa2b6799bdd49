import { Code } from "@/components/docs/code";
import { DocsFrame, docsMetadata } from "@/components/docs/docs-frame";
import { ErrorList } from "@/components/docs/error-list";
import { listErrors } from "./error-pages";

export const metadata = docsMetadata("/docs/errors");

export default function ErrorsPage() {
  return (
    <DocsFrame path="/docs/errors">
      <h1 className="pt-8 lg:pt-12 text-xl font-medium tracking-[-0.025em]">Errors</h1>
      <p className="mt-2 mb-8 max-w-[64ch] text-muted">
        An error is JSON with <Code>error</Code>, <Code>code</Code>, <Code>details</Code> and <Code>requestId</Code>. It never contains a
        stack trace, a key or a provider’s raw message. Unless it names a cost, you were not charged.
      </p>
      <ErrorList errors={listErrors()} />
    </DocsFrame>
  );
}
