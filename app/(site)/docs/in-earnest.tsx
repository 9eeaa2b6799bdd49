import { curlBalance } from "@/app/examples";
import { Code } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { ErrorList } from "@/components/docs/error-list";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section, Steps } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { countText } from "@/components/ui/text/number-text";
import { config } from "@/lib/base/config";
import type { ChapterProps } from "./chapter-props";
import { errorExamples, retryExamples } from "./code-examples";
import { listErrors } from "./errors/error-pages";

export function RetryChapter({ site, model }: ChapterProps) {
  return (
    <Section id="retry" title="Retries">
      <CodeTabs name="retry" legend="Language and package" tabs={retryExamples(site, model.id)} />
      <p>
        Send an <Code>Idempotency-Key</Code> of 1 to 255 printable characters, a new one for each request. If the connection drops, send the
        same request again: for 24 hours you get the first answer, marked <Code>Idempotent-Replayed: true</Code>, without a second charge.
        After a failed request you can reuse its key. Our client sends a key automatically. The <Code>openai</Code> package retries
        automatically without a key, so set one.
      </p>
      <p>
        Don’t retry a 402 until you have deposited or raised the cap. Retry 429 and 503 after <Code>Retry-After</Code>, and 500 with
        exponential backoff when <Code>details.retryable</Code> is true.
      </p>
    </Section>
  );
}

export function MoneyChapter({ site }: ChapterProps) {
  const steps = [
    {
      when: "Before",
      what: "The maximum cost is reserved. If your balance does not cover it, you get a 402 and no model is called.",
    },
    {
      when: "After",
      what: "Tokens times price is charged, exactly, before the answer is sent. The rest of the reserved amount is released.",
    },
    {
      when: "On failure",
      what: "If the model fails before its first token, you pay nothing. The same goes for a JSON request that fails midway.",
    },
    {
      when: "You cancel",
      what: "If you close a stream, you pay for the input and the output so far. Gemini models bill the whole answer anyway, so there you pay for all of it. A JSON request is completed and charged.",
    },
    {
      when: "We crash",
      what: "You never pay more than was reserved. A charge is saved before its answer is sent. If we crash in between, a retry with the same Idempotency-Key returns that answer within ten seconds, without another charge. Without a key the answer is lost, so send one with every important request. If our database crashes, it may lose the most recent reservations; we cover that cost.",
    },
  ];
  return (
    <Section id="balance" title="Billing">
      <Steps steps={steps} />
      <p>
        Get the price in advance with <DocLink href="/docs/api#quotePrompt">a quote</DocLink>, limit it with <Code>maxCost</Code>, and see
        how it was calculated in <DocLink href="/docs/api#getReceipt">the receipt</DocLink>.
      </p>
      <p>
        You <DocLink href="/docs/deposits">deposit</DocLink> USDC on Base or Solana. A wallet can also{" "}
        <DocLink href="/docs/payments">pay per request</DocLink>, and programs without an account{" "}
        <DocLink href="/docs/x402">pay with x402</DocLink>.
      </p>
      <CodeBlock title="curl, balance" copy={curlBalance(site)} />
      <FieldTable
        heading="Field"
        rows={[
          { name: "balance", about: "Your total balance." },
          { name: "held", about: "Reserved for running requests." },
          { name: "available", about: "balance minus held: what you can spend." },
          { name: "wallet", about: "Your deposit addresses on Base and Solana." },
        ]}
      />
    </Section>
  );
}

export function LimitsChapter() {
  const { RATE_LIMIT_PER_MINUTE, CONCURRENCY_LIMIT } = config();
  const rate = countText(RATE_LIMIT_PER_MINUTE);
  return (
    <Section id="limits" title="Limits">
      <p>
        {rate} requests per minute sustained, {countText(CONCURRENCY_LIMIT)} concurrent; a stream counts until it ends. At most{" "}
        {countText(2 * RATE_LIMIT_PER_MINUTE)} requests in any 60 seconds. Refused requests cost nothing. Higher limits are available on
        request.
      </p>
      <FieldTable
        heading="Header"
        rows={[
          { name: "RateLimit-Policy", about: "Your limits: requests per 60 s, and concurrent requests." },
          { name: "RateLimit", about: "What remains of each, and the seconds until the rate resets." },
          { name: "X-RateLimit-*", about: "The same for older clients: Limit, Remaining, and Reset in Unix seconds." },
          { name: "Retry-After", about: "On 429 and 503: seconds to wait." },
        ]}
      />
    </Section>
  );
}

export function ErrorsChapter({ site, model }: ChapterProps) {
  return (
    <Section id="errors" title="Errors">
      <p>
        Every error has four fields: <Code>error</Code> (a message), <Code>code</Code>, <Code>details</Code> and <Code>requestId</Code>.{" "}
        <Code>details.docs</Code> links to the docs for the code. <Code>/chat/completions</Code> returns errors in OpenAI’s format.
      </p>
      <CodeTabs name="errors" legend="Language and package" tabs={errorExamples(site, model.id)} />
      <ErrorList errors={listErrors()} />
    </Section>
  );
}

export function FailedChapter() {
  return (
    <Section id="failed-requests" title="Failed requests">
      <p>
        Failed and refused requests are listed under <DocLink href="/usage?status=failed">Usage</DocLink> for 30 days, with the error code
        and how to fix it. During a burst we keep the first 100 per minute and only count the rest.
      </p>
      <p>
        To find one request, paste its ID into the search on <DocLink href="/usage">Usage</DocLink>. Every response has the ID in the header{" "}
        <Code>X-Request-Id</Code>; errors also have it as <Code>requestId</Code>. A charged request opens its receipt.
      </p>
    </Section>
  );
}
