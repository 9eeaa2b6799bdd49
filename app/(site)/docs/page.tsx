import { curlBalance, curlPrompt, exampleAnswer, exportKey } from "@/app/examples";
import { readSite, type Site } from "@/app/site";
import { Code } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { ErrorList } from "@/components/docs/error-list";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section, Steps } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { JsonText } from "@/components/ui/text/json-text";
import { countText } from "@/components/ui/text/number-text";
import { config } from "@/lib/base/config";
import { whenLeftText } from "@/lib/base/when-left";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import { readRetention } from "@/lib/console/retention";
import type { ModelPrice } from "@/lib/console/views/models";
import { example } from "@/lib/gateway/openapi/examples";
import { errorExamples, promptExamples, retryExamples, streamExamples } from "./code-examples";
import { listErrors } from "./errors/error-pages";

export const metadata = docsMetadata("/docs");

export default function DocsPage() {
  const site = readSite();
  const model = defaultModelPrice(listModelPrices());
  return (
    <DocsArticle path="/docs">
      {key(site)}
      {prompt(site, model)}
      {answer(model)}
      {request}
      {stream(site, model)}
      {retry(site, model)}
      {balance(site)}
      {limits()}
      {errors(site, model)}
      {failedRequests()}
    </DocsArticle>
  );
}

const key = (site: Site) => (
  <Section id="key" title="Your key">
    {site.isSandbox ? (
      <p>
        The sandbox has a demo account with 25 test USD and one API key. <Code>npm start</Code> prints the key; the command below reads it
        from its file. <DocLink href="/connect">Connect the demo wallet</DocLink> to see every charge and create your own keys.
      </p>
    ) : (
      <p>
        <DocLink href="/connect">Connect a wallet</DocLink>, deposit USDC to your address, and create a key under{" "}
        <DocLink href="/keys">Keys</DocLink>. It starts with <Code>pp_</Code> and is shown once. Anyone with the key can spend your balance:
        keep it in an environment variable, never in code, and set a spending limit.
      </p>
    )}
    <CodeBlock title="Set the key" copy={exportKey(site)} />
  </Section>
);

const prompt = (site: Site, model: ModelPrice) => (
  <Section id="prompt" title="Send a prompt">
    <CodeBlock title="curl" copy={curlPrompt(site, model.id)} />
    <CodeTabs name="prompt" legend="Language and package" tabs={promptExamples(site, model.id)} />
    <p>
      With the <Code>openai</Code> package, only the base URL and the key change, and <Code>usage</Code> includes the cost. To use our
      client, copy the folder <Code>lib/client</Code> of this service’s source into your project as <Code>pennyprompt</Code>. It has no
      dependencies, and its retries are never charged twice.
    </p>
    <p>
      Replace <Code>{model.id}</Code> with any model from <DocLink href="/models">Models and prices</DocLink>.
    </p>
  </Section>
);

function answer(model: ModelPrice) {
  const { json } = exampleAnswer(model);
  return (
    <Section id="answer" title="Read the response">
      <CodeBlock title="Response" copy={json}>
        <JsonText text={json} lit={["totalCost"]} />
      </CodeBlock>
      <FieldTable
        heading="Field"
        rows={{
          text: "The model’s answer.",
          model: "The ID of the model that answered.",
          usage: "Token counts, as reported by the provider. Reasoning counts as output.",
          cost: "USD, exact to the nano-dollar. totalCost is what you were charged; it is already deducted from your balance.",
          requestId: "Identifies the request. Also in the header X-Request-Id, including on errors.",
        }}
      />
    </Section>
  );
}

const request = (
  <Section id="request" title="Request fields">
    <p>
      <Code>POST /api/v1/prompt</Code> takes JSON of at most 1 MiB. Unknown fields are rejected, because ignoring a misspelled{" "}
      <Code>max_tokens</Code> would cost you money.
    </p>
    <FieldTable
      heading="Field"
      rows={{
        model: "Required. A model ID or alias.",
        prompt: "Required. The prompt text.",
        system: "A system instruction.",
        maxTokens: "Maximum output tokens. Default: 1,024, or the model’s maximum if that is lower. It also limits the amount reserved.",
        temperature: "0 to 2.",
        stream: "true to stream the answer.",
        maxCost: "USD. A request that could cost more is rejected before the model runs.",
        clipToBalance:
          "true to get a shorter answer instead of an error when your balance, the key’s spending limit or maxCost allows less than maxTokens.",
      }}
    />
    <p>
      For every field and operation, see the <DocLink href="/docs/api/createPrompt">API reference</DocLink>.
    </p>
  </Section>
);

function stream(site: Site, model: ModelPrice) {
  const deltas = example.pieces.map((text) => `event: delta\ndata: ${JSON.stringify({ text })}\n\n`).join("");
  const events = `${deltas}event: done\ndata: {"success":true,"text":${JSON.stringify(example.pieces.join(""))}, … ,"cost":{ … }}`;
  return (
    <Section id="stream" title="Streaming">
      <CodeTabs name="stream" legend="Language and package" tabs={streamExamples(site, model.id)} />
      <CodeBlock title="Events" copy={events} />
      <p>
        The stream ends with <Code>done</Code>, which contains the full answer and its cost, or with <Code>error</Code>. Nothing is sent
        before the model’s first token, so a failure before that returns its real HTTP status and costs nothing. If the provider fails
        later, you pay for what was delivered, and the <Code>error</Code> event says how much. If the connection closes without either
        event, send the request again with the same <Code>Idempotency-Key</Code>. If only a part was charged, you get that part; use a new
        key for a whole answer. <Code>/chat/completions</Code> and <Code>/responses</Code> stream in OpenAI’s format, <Code>/messages</Code>{" "}
        in Anthropic’s.
      </p>
    </Section>
  );
}

const retry = (site: Site, model: ModelPrice) => (
  <Section id="retry" title="Retries">
    <CodeTabs name="retry" legend="Language and package" tabs={retryExamples(site, model.id)} />
    <p>
      Send an <Code>Idempotency-Key</Code> of 1 to 255 printable ASCII characters, a new one for each request. If the connection drops, send
      the same request again: for 24 hours you get the first answer, marked <Code>Idempotent-Replayed: true</Code>, without a second charge.
      A stream that was charged for a part is replayed up to that part. A request that was not charged leaves its key free to use again. Our
      client sets a key automatically. The <Code>openai</Code> package retries without one, so set it yourself.
    </p>
    <p>
      Don’t retry a 402 until you have deposited or raised the key’s spending limit. Retry 429, 503, 529 and 409{" "}
      <Code>REQUEST_IN_PROGRESS</Code> after <Code>Retry-After</Code>, and 500 with exponential backoff when <Code>details.retryable</Code>{" "}
      is true. 503 <Code>PROVIDER_BUSY</Code> (529 on <Code>/messages</Code>) means that the model’s provider is overloaded or limits our
      requests.
    </p>
    <p>
      A prompt longer than the model’s context window is a 400 with <Code>details.reason</Code> <Code>context_length_exceeded</Code>. In
      OpenAI’s and Anthropic’s formats, the error also has the code or message that their clients expect, so agents shorten the conversation
      automatically. If a provider rejects a request for another reason, the error quotes that reason where possible.
    </p>
  </Section>
);

function balance(site: Site) {
  const steps = {
    Before: "The maximum cost is reserved. If your balance does not cover it, you get a 402 and no model is called.",
    After: "Tokens times price is charged, exactly, before the answer is sent. The rest of the reserved amount is released.",
    "On failure": "If the model fails before its first token, you pay nothing. A request without streaming that fails midway is free too.",
    "You cancel": (
      <div className="grid gap-2">
        <p>
          If you close a stream early, the cost depends on the model and its options. <Code>whenLeft</Code> in a quote tells you which rule
          applies.
        </p>
        <p>
          <Code>drained</Code>, for models that may reason, Gemini models, and hosts that bill the whole answer anyway:{" "}
          {whenLeftText.drained} Only the provider can count reasoning tokens.
        </p>
        <p>
          <Code>cut</Code>, for all other models: {whenLeftText.cut}
        </p>
        <p>A request without streaming is completed and charged, even if you close the connection.</p>
      </div>
    ),
    "The provider fails midway":
      "For a stream, you pay what the provider had counted by then. Without a count, you pay the minimum: the text that arrived, and the input at its lowest price.",
    "We crash":
      "You never pay more than was reserved. If we crash before the charge, the reserved amount is released within about ten seconds and you pay nothing. A charge is saved before the end of its answer is sent: if we crash in between, a retry with the same Idempotency-Key returns the answer without another charge. Without a key the answer is lost, so send one with every important request.",
  };
  return (
    <Section id="balance" title="Billing">
      <Steps steps={steps} />
      <p>
        Get the price in advance with <DocLink href="/docs/api/quotePrompt">a quote</DocLink>, limit it with <Code>maxCost</Code>, and see
        how the charge was calculated in <DocLink href="/docs/api/getReceipt">the receipt</DocLink>.
      </p>
      <p>
        You <DocLink href="/docs/deposits">deposit</DocLink> USDC on Base or Solana. A wallet can also{" "}
        <DocLink href="/docs/payments">pay per request</DocLink>, and programs without an account can{" "}
        <DocLink href="/docs/x402">pay with x402</DocLink>. <DocLink href="/docs/balance">Why your balance is right</DocLink> explains the
        accounting, and <DocLink href="/docs/prices">Prices and fees</DocLink> what everything costs.
      </p>
      <CodeBlock title="curl, balance" copy={curlBalance(site)} />
      <FieldTable
        heading="Field"
        rows={{
          balance: "Your total balance.",
          held: "Reserved for running requests.",
          available: "balance minus held: what you can spend.",
          wallet: "Your deposit addresses on Base and Solana.",
        }}
      />
    </Section>
  );
}

function limits() {
  const { RATE_LIMIT_PER_MINUTE, CONCURRENCY_LIMIT } = config();
  const rate = countText(RATE_LIMIT_PER_MINUTE);
  return (
    <Section id="limits" title="Limits">
      <p>
        {rate} requests per minute on average, with bursts of up to {countText(2 * RATE_LIMIT_PER_MINUTE)} in any 60 seconds, and{" "}
        {countText(CONCURRENCY_LIMIT)} at a time; a stream counts until it ends. These limits apply to the whole account, not to each key.
        Requests refused by a limit cost nothing and don’t count toward it. Higher limits are available on request.
      </p>
      <FieldTable
        heading="Header"
        rows={{
          "RateLimit-Policy": "Your limits: requests per 60 s, and concurrent requests.",
          RateLimit:
            "What remains of each, and the seconds until the rate limit is full again, or, on a 429, until you can send a request.",
          "X-RateLimit-*": "The rate limit for older clients: Limit, Remaining, and Reset in Unix seconds.",
          "Retry-After": "On 429, 503, 529 and 409 REQUEST_IN_PROGRESS: seconds to wait.",
        }}
      />
    </Section>
  );
}

const errors = (site: Site, model: ModelPrice) => (
  <Section id="errors" title="Errors">
    <p>
      An error has four fields: <Code>error</Code> (a message), <Code>code</Code>, <Code>details</Code> and <Code>requestId</Code>.{" "}
      <Code>details.docs</Code> links to the docs for the code. <Code>/chat/completions</Code>, <Code>/responses</Code> and{" "}
      <Code>/embeddings</Code> return errors in OpenAI’s format, <Code>/messages</Code> in Anthropic’s, with the same code and details.
    </p>
    <CodeTabs name="errors" legend="Language and package" tabs={errorExamples(site, model.id)} />
    <ErrorList errors={listErrors()} />
  </Section>
);

const failedRequests = () => (
  <Section id="failed-requests" title="Failed requests">
    <p>
      Failed and refused requests to the endpoints that return answers are listed under <DocLink href="/usage?status=failed">Usage</DocLink>{" "}
      for {readRetention().failedRequestDays} days, with the error code and how to fix it. Requests refused because of their key (401 and
      403) are not listed. We list the first 100 per minute and only count the rest.
    </p>
    <p>
      To find one request, paste its ID into the search on <DocLink href="/usage">Usage</DocLink>. Every response has the ID in the header{" "}
      <Code>X-Request-Id</Code>; errors also have it as <Code>requestId</Code>. A charged request opens its receipt.
    </p>
  </Section>
);
