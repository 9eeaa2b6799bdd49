import Link from "next/link";
import type { ReactNode } from "react";
import { JsonText } from "@/components/ui/text/json-text";
import { CodeBlock } from "../ui/code-block";
import { FoldSummary } from "../ui/fold-summary";
import { WithCode } from "./code";
import { CodeTabs } from "./code-tabs";
import { DocsTitle } from "./docs-frame";
import { type Field, FieldList } from "./field-list";
import type { OperationView } from "./operation-view";
import { DocLink } from "./section";
import { TryItSlot } from "./try-it/try-it-slot";

interface OperationArticleProps {
  operation: OperationView;
  /** How the reader gets a key, in a sentence. */
  keyHint: ReactNode;
}

/** The parts of an operation's page, for its navigation. */
export const operationSections = ({ parameters, body }: OperationView): { id: string; title: string }[] => [
  { id: "try", title: "Try it" },
  ...(parameters.length > 0 ? [{ id: "parameters", title: "Parameters" }] : []),
  ...(body.length > 0 ? [{ id: "body", title: "Body" }] : []),
  { id: "answer", title: "Response" },
  { id: "errors", title: "Errors" },
];

/** One operation: its fields, response and errors on the left, example requests and responses on the right. */
export function OperationArticle({ operation, keyHint }: OperationArticleProps) {
  const { method, path, summary, description, needsKey, parameters, body, answerAbout, answer, errors } = operation;
  return (
    <div className="xl:grid xl:grid-cols-[minmax(0,1fr)_minmax(0,400px)] xl:gap-10">
      <div className="max-w-reading">
        <DocsTitle title={summary} />
        <p className="mt-2 flex flex-wrap items-baseline gap-x-3 font-mono text-sm">
          <span className="text-copper-ink">{method}</span>
          <code className="break-all">{path}</code>
          {needsKey ? null : <span className="font-sans text-xs text-faint">no key needed</span>}
        </p>
        <p className="mt-3 text-muted">
          <WithCode text={description} />
        </p>
        <TryIt operation={operation} keyHint={keyHint} />
        {parameters.length > 0 ? <Part id="parameters" title="Parameters" fields={parameters} /> : null}
        {body.length > 0 ? <Part id="body" title="Body" fields={body} /> : null}
        <PartHeading id="answer" title="Response" />
        <p className="mb-3 text-sm text-muted">
          <WithCode text={answerAbout} />
        </p>
        {answer.length > 0 ? <AnswerFields fields={answer} /> : null}
        <Errors errors={errors} />
      </div>
      <Examples operation={operation} />
    </div>
  );
}

const PartHeading = ({ id, title }: { id: string; title: string }) => (
  <h2 id={id} className="mt-10 mb-3 scroll-mt-6 text-base font-medium">
    <a href={`#${id}`} className="underline-offset-4 hover:underline">
      {title}
    </a>
  </h2>
);

const Part = ({ id, title, fields }: { id: string; title: string; fields: readonly Field[] }) => (
  <>
    <PartHeading id={id} title={title} />
    <FieldList fields={fields} />
  </>
);

const TryIt = ({ operation: { tryIt }, keyHint }: OperationArticleProps) => (
  <>
    <PartHeading id="try" title="Try it" />
    {tryIt ? (
      <>
        <p className="mb-3 text-sm text-muted">
          {tryIt.isCharged
            ? "Send this request from your browser. A model answers it, and you are charged its exact cost."
            : "Send this request from your browser. It is free."}{" "}
          {tryIt.needsKey ? keyHint : null}
        </p>
        <TryItSlot form={tryIt} />
      </>
    ) : (
      <p className="text-sm text-muted">
        You can’t send this request from here, because a wallet has to sign a payment for it. <DocLink href="/docs/x402">x402</DocLink> has
        an example you can run.
      </p>
    )}
  </>
);

/** The example beside it shows most of them, so they are collapsed. */
function AnswerFields({ fields }: { fields: readonly Field[] }) {
  return (
    <details className="text-sm">
      <FoldSummary className="w-fit py-1 text-muted">
        {fields.length} {fields.length === 1 ? "field" : "fields"}
      </FoldSummary>
      <div className="mt-2">
        <FieldList fields={fields} />
      </div>
    </details>
  );
}

function Errors({ errors }: Pick<OperationView, "errors">) {
  return (
    <>
      <PartHeading id="errors" title="Errors" />
      <ul className="grid gap-x-4 border-t border-edge pt-1.5 font-mono text-xs whitespace-nowrap sm:grid-cols-[max-content_max-content]">
        {errors.map(({ code, status, title }) => (
          <li key={code}>
            <Link
              href={`/docs/errors/${code}`}
              title={title}
              className="flex gap-2 py-1 text-muted underline-offset-4 transition hover:text-ink hover:underline max-sm:py-2.5"
            >
              <span className="text-faint">{status}</span> <span>{code}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function Examples({ operation: { method, path, requests, answers, events } }: { operation: OperationView }) {
  return (
    <div className="min-w-0 max-xl:mt-10 max-xl:max-w-reading">
      <h2 id="examples" className="mb-3 scroll-mt-6 text-base font-medium xl:sr-only">
        Examples
      </h2>
      <div className="space-y-4 xl:sticky xl:top-6">
        <Alternatives
          name="requests"
          legend="Request"
          blocks={requests.map(({ label, curl }) => ({ label, title: `curl, ${method} ${path}`, code: curl }))}
        />
        <Alternatives
          name="answers"
          legend="Response"
          blocks={answers.map(({ label, json }) => ({ label, title: `Response, ${path}`, code: json, isJson: true }))}
        />
        <Alternatives
          name="events"
          legend="Events"
          blocks={events.map(({ label, text }) => ({ label, title: `Events, ${path}`, code: text }))}
        />
      </div>
    </div>
  );
}

interface AlternativesProps {
  name: string;
  legend: string;
  blocks: readonly { label: string; title: string; code: string; isJson?: boolean }[];
}

/** One example as it is, several behind tabs. */
function Alternatives({ name, legend, blocks }: AlternativesProps) {
  const [first, ...others] = blocks;
  if (!first) return null;
  if (others.length > 0) {
    const tabs = blocks.map(({ label, title, code }, index) => ({ label, title: index === 0 ? title : `${title}: ${label}`, code }));
    return <CodeTabs name={name} legend={legend} tabs={tabs} />;
  }
  return (
    <CodeBlock title={first.title} copy={first.code}>
      {first.isJson ? <JsonText text={first.code} lit={["totalCost"]} /> : null}
    </CodeBlock>
  );
}
