import { curlPrompt, exampleAnswer, exportKey } from "@/app/examples";
import { Code } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { JsonText } from "@/components/ui/text/json-text";
import type { ChapterProps } from "./chapter-props";
import { promptExamples, streamExamples } from "./code-examples";

export function KeyChapter({ site }: ChapterProps) {
  return (
    <Section id="key" title="Your key">
      {site.isSandbox ? (
        <p>
          A sandbox has a demo account with 25 USD that are worth nothing, and one key. <Code>npm start</Code> prints it; this line reads it
          from its file. Its owner is the demo wallet: <DocLink href="/connect">connect it</DocLink> to see every charge, and to make keys
          of your own.
        </p>
      ) : (
        <p>
          <DocLink href="/connect">Connect a wallet</DocLink>, send USDC to the address that you get, and make a key under{" "}
          <DocLink href="/keys">Keys</DocLink>. It begins with <Code>pp_</Code> and is shown once. Whoever holds it can spend the balance
          behind it: keep it in the environment, never in code, and give it a cap.
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
        The <Code>openai</Code> package needs only another base URL and key; <Code>usage</Code> then says the cost, too. Our client is the
        folder <Code>lib/client</Code> of this service’s source: copy it into your project as <Code>pennyprompt</Code>. It needs no package,
        and retries without paying twice.
      </p>
      <p>
        Any name on the <DocLink href="/models">models page</DocLink> works in place of <Code>{model.id}</Code>.
      </p>
    </Section>
  );
}

export function AnswerChapter({ model }: ChapterProps) {
  const { json } = exampleAnswer(model);
  return (
    <Section id="answer" title="Read the answer">
      <CodeBlock title="Answer" copy={json}>
        <JsonText text={json} lit={["totalCost"]} />
      </CodeBlock>
      <FieldTable
        heading="Field"
        rows={[
          { name: "text", about: "What the model said." },
          { name: "model", about: "The model that answered, by its name in the catalogue." },
          { name: "usage", about: "Tokens as the provider counted them. Reasoning counts as output." },
          {
            name: "cost",
            about: "USD, exact to the nano-dollar. totalCost is what left your balance; it is already booked when you read this.",
          },
          {
            name: "requestId",
            about: "Names this request in your records and ours. The header X-Request-Id has it too, on errors as well.",
          },
        ]}
      />
    </Section>
  );
}

export function RequestChapter() {
  return (
    <Section id="request" title="What you can ask for">
      <p>
        <Code>POST /api/v1/prompt</Code> takes JSON of at most 1 MiB. An unknown field is refused, since a misspelt <Code>max_tokens</Code>{" "}
        that nobody reads would cost you money.
      </p>
      <FieldTable
        heading="Field"
        rows={[
          { name: "model", about: "Required. A name or an alias from the catalogue." },
          { name: "prompt", about: "Required. The text to answer." },
          { name: "system", about: "An instruction that stands above the prompt." },
          { name: "maxTokens", about: "The most tokens to answer with. 1,024 unless you say otherwise. It bounds what is held, too." },
          { name: "temperature", about: "0 to 2." },
          { name: "stream", about: "true for the answer piece by piece." },
          { name: "maxCost", about: "USD. A request that could cost more is refused before any work." },
        ]}
      />
      <p>
        Every field and every other operation stands in the <DocLink href="/docs/api#createPrompt">API reference</DocLink>.
      </p>
    </Section>
  );
}

export function StreamChapter({ site, model }: ChapterProps) {
  const events = `event: delta
data: {"text":"One billionth"}

event: delta
data: {"text":" of a dollar."}

event: done
data: {"success":true,"text":"One billionth of a dollar.", … ,"cost":{ … }}`;
  return (
    <Section id="stream" title="Stream it">
      <CodeTabs name="stream" legend="Language and package" tabs={streamExamples(site, model.id)} />
      <CodeBlock title="Events" copy={events} />
      <p>
        The stream ends with <Code>done</Code>, which carries the whole answer with its cost, or with <Code>error</Code>. Nothing is sent
        before the model’s first token, so what fails before it has its true HTTP status and costs nothing. What breaks off later is charged
        for what was delivered, and the event says how much. <Code>/chat/completions</Code> streams in OpenAI’s own form.
      </p>
    </Section>
  );
}
