import Link from "next/link";
import { WithCode } from "@/components/docs/code";
import { DocsFrame } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { Steps } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { JsonText } from "@/components/ui/text/json-text";
import type { ErrorPage } from "./error-pages";

/** The page of one error code. */
export const ErrorCodePage = ({ page: { code, status, title, when, fix, retry, details, example } }: { page: ErrorPage }) => (
  <DocsFrame path="/docs/errors" place={{ href: `/docs/errors/${code}`, text: code }} neighbours={{}}>
    <p className="text-sm text-muted">
      <Link href="/docs/errors" className="underline-offset-4 hover:text-ink hover:underline">
        Errors
      </Link>{" "}
      / <span className="font-mono">{status}</span>
    </p>
    <h1 className="mt-3 font-mono text-lg font-medium tracking-tight break-all sm:text-xl sm:tracking-[-0.03em]">{code}</h1>
    <p className="mt-2 text-muted">{title}.</p>
    <Steps
      className="mt-8"
      steps={{
        When: <WithCode text={when} />,
        "What to do": <WithCode text={fix} />,
        Retry: <WithCode text={`${retry.charAt(0).toUpperCase()}${retry.slice(1)}.`} />,
      }}
    />
    <div className="mt-10">
      <CodeBlock title={`Response ${status}`} copy={example}>
        <JsonText text={example} lit={["code"]} />
      </CodeBlock>
    </div>
    {details.length > 0 ? (
      <div className="mt-10">
        <FieldTable
          heading="details"
          rows={Object.fromEntries(details.map(({ name, about }) => [name, <WithCode key={name} text={about} />]))}
        />
      </div>
    ) : null}
  </DocsFrame>
);
