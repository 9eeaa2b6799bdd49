import Link from "next/link";
import { JsonText } from "@/components/ui/text/json-text";
import { CodeBlock } from "../ui/code-block";
import { WithCode } from "./code";
import { type Field, FieldList } from "./field-list";

export interface OperationView {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  needsKey: boolean;
  parameters: readonly Field[];
  body: readonly Field[];
  /** The description of a 200; its fields follow. */
  answerAbout: string;
  answer: readonly Field[];
  errors: readonly { code: string; status: number; title: string }[];
  curl: string;
  /** Indented JSON. */
  answerExample: string;
  /** Events of a stream, where there is one. */
  eventsExample: string | null;
}

/** One operation: its parameters and response on the left, an example call and response on the right. */
export function OperationSection({ operation }: { operation: OperationView }) {
  const { id, method, path, summary, description, needsKey, parameters, body, answerAbout, answer, errors } = operation;
  return (
    <section aria-labelledby={id} className="border-t border-line py-10 xl:grid xl:grid-cols-[minmax(0,1fr)_400px] xl:gap-10">
      <div className="max-w-reading">
        <h2 id={id} className="scroll-mt-6 text-lg font-medium tracking-tight">
          <a href={`#${id}`} className="underline-offset-4 hover:underline">
            {summary}
          </a>
        </h2>
        <p className="mt-2 flex flex-wrap items-baseline gap-x-3 font-mono text-sm">
          <span className="text-copper-ink">{method}</span>
          <span className="break-all">{path}</span>
          {needsKey ? null : <span className="font-sans text-xs text-faint">no key needed</span>}
        </p>
        <p className="mt-3 text-muted">
          <WithCode text={description} />
        </p>
        <Part id={id} title="Parameters" fields={parameters} />
        <Part id={id} title="Body" fields={body} />
        <h3 id={`${id}-answer`} className="mt-8 scroll-mt-6 text-sm font-medium">
          Answer
        </h3>
        <p className="mt-1 mb-3 text-sm text-muted">
          <WithCode text={answerAbout} />
        </p>
        {answer.length > 0 ? <AnswerFields fields={answer} /> : null}
        <Errors id={id} errors={errors} />
      </div>
      <OperationExample operation={operation} />
    </section>
  );
}

function Part({ id, title, fields }: { id: string; title: string; fields: readonly Field[] }) {
  if (fields.length === 0) return null;
  const part = `${id}-${title.toLowerCase()}`;
  return (
    <>
      <h3 id={part} className="mt-8 mb-3 scroll-mt-6 text-sm font-medium">
        {title}
      </h3>
      <FieldList fields={fields} />
    </>
  );
}

/** The example beside it shows most of them, so they are collapsed. */
function AnswerFields({ fields }: { fields: readonly Field[] }) {
  return (
    <details className="text-sm">
      <summary className="cursor-pointer py-1 text-muted transition hover:text-ink">{fields.length} fields</summary>
      <div className="mt-2">
        <FieldList fields={fields} />
      </div>
    </details>
  );
}

function Errors({ id, errors }: Pick<OperationView, "id" | "errors">) {
  return (
    <>
      <h3 id={`${id}-errors`} className="mt-8 mb-3 scroll-mt-6 text-sm font-medium">
        Errors
      </h3>
      <ul className="grid gap-x-4 border-t border-edge pt-1.5 font-mono text-xs whitespace-nowrap sm:grid-cols-[max-content_max-content]">
        {errors.map(({ code, status, title }) => (
          <li key={code}>
            <Link
              href={`/docs/errors/${code}`}
              title={title}
              className="flex gap-2 py-1 text-muted underline-offset-4 transition hover:text-ink hover:underline"
            >
              <span className="text-faint">{status}</span>
              <span>{code}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function OperationExample({ operation }: { operation: OperationView }) {
  const { method, path, curl, answerExample, eventsExample } = operation;
  return (
    <div className="min-w-0 space-y-4 max-xl:mt-8 max-xl:max-w-reading">
      <div className="space-y-4 xl:sticky xl:top-6">
        <CodeBlock title={`curl, ${method} ${path}`} copy={curl} />
        <CodeBlock title={`Answer, ${path}`} copy={answerExample}>
          <JsonText text={answerExample} lit={["totalCost"]} />
        </CodeBlock>
        {eventsExample ? <CodeBlock title={`Events, ${path}`} copy={eventsExample} /> : null}
      </div>
    </div>
  );
}
