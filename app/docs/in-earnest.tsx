import { Code } from "@/components/docs/code";
import { ErrorList } from "@/components/docs/error-list";
import { FieldTable } from "@/components/docs/field-table";
import { Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { config } from "@/lib/base/config";
import { curlBalance } from "../examples";
import type { ChapterProps } from "./chapter-props";
import { listErrors } from "./errors/error-pages";

export function RetryChapter() {
  return (
    <Section id="retry" title="Retry without paying twice">
      <p>
        Send <Code>Idempotency-Key</Code> with any text of 1 to 255 printable characters, a new one for each new request. If the connection
        dies, send the same request again: for 24 hours you get the first answer, marked <Code>Idempotent-Replayed: true</Code>, and no
        second charge. A request that failed keeps nothing, so its key is free again.
      </p>
      <p>
        Never retry a 402: nothing changes until money or a cap does. Retry 429 and 503 after <Code>Retry-After</Code>, and 500 with growing
        delay when <Code>details.retryable</Code> is true.
      </p>
    </Section>
  );
}

export function BalanceChapter({ site }: ChapterProps) {
  return (
    <Section id="balance" title="Balance">
      <CodeBlock title="curl, balance" copy={curlBalance(site)} />
      <FieldTable
        heading="Field"
        rows={[
          { name: "balance", about: "What your account has." },
          { name: "held", about: "Set aside for requests that run right now." },
          { name: "available", about: "balance less held: what the next request may take." },
        ]}
      />
    </Section>
  );
}

export function LimitsChapter() {
  const { RATE_LIMIT_PER_MINUTE, CONCURRENCY_LIMIT } = config();
  const rate = RATE_LIMIT_PER_MINUTE.toLocaleString("en-US");
  return (
    <Section id="limits" title="Limits">
      <p>
        {rate} requests a minute, sustained, and {CONCURRENCY_LIMIT.toLocaleString("en-US")} at the same time; a stream counts until its
        end. No 60 seconds see more than {(2 * RATE_LIMIT_PER_MINUTE).toLocaleString("en-US")}. What is refused costs nothing. Higher limits
        are available on request.
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

export function ErrorsChapter() {
  return (
    <Section id="errors" title="Errors">
      <p>
        Every error has the same four fields: <Code>error</Code> for people, <Code>code</Code> for programs, <Code>details</Code>, and{" "}
        <Code>requestId</Code>. <Code>details.docs</Code> links to the page of its code.
      </p>
      <ErrorList errors={listErrors()} />
    </Section>
  );
}
