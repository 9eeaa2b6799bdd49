import { Code } from "@/components/docs/code";
import { DocsFrame, DocsTitle, docsMetadata } from "@/components/docs/docs-frame";
import { docsPageAt } from "@/components/docs/docs-pages";
import { ErrorList } from "@/components/docs/error-list";
import { listErrors } from "./error-pages";

export const metadata = docsMetadata("/docs/errors");

export default function ErrorsPage() {
  return (
    <DocsFrame path="/docs/errors">
      <DocsTitle
        title={docsPageAt("/docs/errors").title}
        intro={
          <>
            Errors are JSON with <Code>error</Code>, <Code>code</Code>, <Code>details</Code> and <Code>requestId</Code>. They never contain
            a stack trace or a key. A provider’s message is quoted only if it rejected your request, without its secrets. You are not
            charged unless the error states a cost.
          </>
        }
      />
      <div className="mt-8">
        <ErrorList errors={listErrors()} />
      </div>
    </DocsFrame>
  );
}
