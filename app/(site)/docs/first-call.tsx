import { curlPrompt, exampleAnswer, exportKey } from "@/app/examples";
import { Code } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { JsonText } from "@/components/ui/text/json-text";
import { example } from "@/lib/gateway/openapi/examples";
import type { ChapterProps } from "./chapter-props";
import { promptExamples, streamExamples } from "./code-examples";

export function KeyChapter({ site }: ChapterProps) {
  return (
    <Section id="key" title="Your key">
      {site.isSandbox ? (
        <p>
          The sandbox has a demo account with 25 test USD and one API key. <Code>npm start</Code> prints the key; the command below reads it
          from its file. <DocLink href="/connect">Connect the demo wallet</DocLink> to see every charge and create your own keys.
        </p>
      ) : (
        <p>
          <DocLink href="/connect">Connect a wallet</DocLink>, deposit USDC to your address, and create a key under{" "}
          <DocLink href="/keys">Keys</DocLink>. It starts with <Code>pp_</Code> and is shown once. Anyone with the key can spend your
          balance: keep it in an environment variable, never in code, and set a spending cap.
        </p>
      )}
      <CodeBlock title="Set the key" copy={exportKey(site)} />
    </Section>
  );
}

export function PromptChapter({ site, model }: ChapterProps) {
  return (
    <Section id="prompt" title="Send a prompt">
      <CodeBlock title="curl" copy={curlPrompt(site, model.id)} />
      <CodeTabs name="prompt" legend="Language and package" tabs={promptExamples(site, model.id)} />
      <p>
        With the <Code>openai</Code> package, only the base URL and the key change, and <Code>usage</Code> includes the cost. To use our
        client, copy the folder <Code>lib/client</Code> of this service’s source into your project as <Code>pennyprompt</Code>. It has no
        dependencies, and a retry never pays twice.
      </p>
      <p>
        Replace <Code>{model.id}</Code> with any model from the <DocLink href="/models">models page</DocLink>.
      </p>
    </Section>
  );
}

export function AnswerChapter({ model }: ChapterProps) {
  const { json } = exampleAnswer(model);
  return (
    <Section id="answer" title="Read the response">
      <CodeBlock title="Answer" copy={json}>
        <JsonText text={json} lit={["totalCost"]} />
      </CodeBlock>
      <FieldTable
        heading="Field"
        rows={[
          { name: "text", about: "The model’s answer." },
          { name: "model", about: "The ID of the model that answered." },
          { name: "usage", about: "Token counts from the provider. Reasoning counts as output." },
          {
            name: "cost",
            about: "USD, exact to the nano-dollar. totalCost is what you were charged; it has already left your balance.",
          },
          {
            name: "requestId",
            about: "Identifies the request. Also in the header X-Request-Id, including on errors.",
          },
        ]}
      />
    </Section>
  );
}

export function RequestChapter() {
  return (
    <Section id="request" title="Request fields">
      <p>
        <Code>POST /api/v1/prompt</Code> takes JSON of at most 1 MiB. Unknown fields are rejected, because ignoring a misspelled{" "}
        <Code>max_tokens</Code> would cost you money.
      </p>
      <FieldTable
        heading="Field"
        rows={[
          { name: "model", about: "Required. A model ID or alias." },
          { name: "prompt", about: "Required. The prompt text." },
          { name: "system", about: "A system instruction." },
          { name: "maxTokens", about: "Maximum output tokens. Default: 1,024. It also limits the amount reserved." },
          { name: "temperature", about: "0 to 2." },
          { name: "stream", about: "true to stream the answer." },
          { name: "maxCost", about: "USD. A request that could cost more is rejected before the model runs." },
          {
            name: "clipToBalance",
            about: "true to get a shorter answer instead of 402 when the balance, the key's cap or maxCost allow less than maxTokens.",
          },
        ]}
      />
      <p>
        For every field and operation, see the <DocLink href="/docs/api#createPrompt">API reference</DocLink>.
      </p>
    </Section>
  );
}

export function StreamChapter({ site, model }: ChapterProps) {
  const deltas = example.pieces.map((text) => `event: delta\ndata: ${JSON.stringify({ text })}\n\n`).join("");
  const events = `${deltas}event: done\ndata: {"success":true,"text":${JSON.stringify(example.pieces.join(""))}, … ,"cost":{ … }}`;
  return (
    <Section id="stream" title="Streaming">
      <CodeTabs name="stream" legend="Language and package" tabs={streamExamples(site, model.id)} />
      <CodeBlock title="Events" copy={events} />
      <p>
        The stream ends with <Code>done</Code>, which contains the full answer and its cost, or with <Code>error</Code>. Nothing is sent
        before the model’s first token, so a failure before that returns its real HTTP status and costs nothing. If a stream breaks later,
        you pay for what was delivered, and the event says how much. <Code>/chat/completions</Code> streams in OpenAI’s format.
      </p>
    </Section>
  );
}
