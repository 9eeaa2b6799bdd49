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
    <Section id="retry" title="Retry without paying twice">
      <CodeTabs name="retry" legend="Language and package" tabs={retryExamples(site, model.id)} />
      <p>
        Send <Code>Idempotency-Key</Code> with any text of 1 to 255 printable characters, a new one for each new request. If the connection
        dies, send the same request again: for 24 hours you get the first answer, marked <Code>Idempotent-Replayed: true</Code>, and no
        second charge. A request that failed keeps nothing, so its key is free again. Our client sends one by itself; the{" "}
        <Code>openai</Code> package retries by itself and sends none, so give it one.
      </p>
      <p>
        Never retry a 402: nothing changes until money or a cap does. Retry 429 and 503 after <Code>Retry-After</Code>, and 500 with growing
        delay when <Code>details.retryable</Code> is true.
      </p>
    </Section>
  );
}

export function MoneyChapter({ site }: ChapterProps) {
  const steps = [
    {
      when: "Before",
      what: "The most that the request can cost is held. If your balance does not cover it, you get 402 and no model is called.",
    },
    { when: "After", what: "Tokens times price is charged, exactly, before the answer is sent. The rest of the hold is free again." },
    {
      when: "It failed",
      what: "A model that fails before its first token costs nothing. Neither does a JSON request that fails half-way.",
    },
    {
      when: "You left",
      what: "A stream that you leave is charged its input and what had been written by then. Gemini’s models bill the whole answer all the same: there it is read to its end, and charged. A JSON request is finished and charged.",
    },
    {
      when: "We crashed",
      what: "You never pay more than was held. A charge is on disk before its answer is sent. If we fail in between, a retry with the same Idempotency-Key gets that answer within ten seconds, at no further charge; without a key it cannot be found again, so send one with everything that matters. If our database crashes, it may forget what was held in its last moments, and we bear what that costs.",
    },
  ];
  return (
    <Section id="balance" title="Money">
      <Steps steps={steps} />
      <p>
        Ask for the price beforehand with <DocLink href="/docs/api#quotePrompt">a quote</DocLink>, bound it with <Code>maxCost</Code>, and
        read afterwards why it was so in <DocLink href="/docs/api#getReceipt">the receipt</DocLink>.
      </p>
      <p>
        Money comes in as USDC on Base or Solana: <DocLink href="/docs/deposits">how, how fast, and what is not credited</DocLink>. A wallet
        can also <DocLink href="/docs/payments">pay for a request by itself</DocLink>, and programs without an account{" "}
        <DocLink href="/docs/x402">pay by x402</DocLink>.
      </p>
      <CodeBlock title="curl, balance" copy={curlBalance(site)} />
      <FieldTable
        heading="Field"
        rows={[
          { name: "balance", about: "What your account has." },
          { name: "held", about: "Set aside for requests that run right now." },
          { name: "available", about: "balance less held: what the next request may take." },
          { name: "wallet", about: "Your addresses on Base and Solana, to pay USDC to." },
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
        {rate} requests a minute, sustained, and {countText(CONCURRENCY_LIMIT)} at the same time; a stream counts until its end. No 60
        seconds see more than {countText(2 * RATE_LIMIT_PER_MINUTE)}. What is refused costs nothing. Higher limits are available on request.
      </p>
      <FieldTable
        heading="Header"
        rows={[
          { name: "RateLimit-Policy", about: "Your limits: rate in a window of 60 s, and requests at the same time." },
          { name: "RateLimit", about: "What is left of each, and the seconds until the rate is full again." },
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
        Every error has the same four fields: <Code>error</Code> for people, <Code>code</Code> for programs, <Code>details</Code>, and{" "}
        <Code>requestId</Code>. <Code>details.docs</Code> links to the page of its code. <Code>/chat/completions</Code> puts the same into
        OpenAI’s form.
      </p>
      <CodeTabs name="errors" legend="Language and package" tabs={errorExamples(site, model.id)} />
      <ErrorList errors={listErrors()} />
    </Section>
  );
}
