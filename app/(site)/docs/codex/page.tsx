import { exportKey } from "@/app/examples";
import { readSite, type Site } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { DocLink, Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import { claudeModel } from "../claude-code/examples";
import { codexConfig, codexModel } from "./examples";

export const metadata = docsMetadata("/docs/codex");

export default function CodexPage() {
  const site = readSite();
  const prices = listModelPrices();
  const ids = prices.map(({ id }) => id);
  const wanted = codexModel(ids) ?? defaultModelPrice(prices).id;
  const other = claudeModel(ids) ?? ids.find((id) => id !== wanted) ?? wanted;
  return (
    <DocsArticle path="/docs/codex">
      {setup(site, wanted)}
      {models(other)}
      {tools}
      {compaction}
      {money}
    </DocsArticle>
  );
}

const setup = (site: Site, model: string) => (
  <Section id="setup" title="Setup">
    <CodeBlock title="Set the key" copy={exportKey(site)} />
    <CodeBlock title="~/.codex/config.toml" copy={codexConfig(site, model)} />
    <p>
      Then start <Code>codex</Code>. Codex speaks OpenAI’s Responses, so <Code>wire_api</Code> is <Code>responses</Code>.{" "}
      <Code>env_key</Code> is the name of the variable that holds your key, not the key. Answers come over HTTP:{" "}
      <Code>supports_websockets</Code> saves Codex an attempt that is refused.
    </p>
  </Section>
);

const models = (other: string) => (
  <Section id="models" title="Models">
    <p>
      Use any ID from the <DocLink href="/models">models page</DocLink>, for one run too:
    </p>
    <CodeBlock title="Another model" copy={`codex --model ${other}`} />
    <p>Codex warns that it has no metadata for models it does not know. They work; it then assumes a context window of its own.</p>
  </Section>
);

const tools = (
  <Section id="tools" title="Tools and reasoning">
    <p>
      Codex’s functions and its custom tool <Code>apply_patch</Code> reach every model; models without custom tools get it as a function
      with one text field, and its grammar in the description. Tools of MCP servers work with every model, whether Codex lists them or
      searches for them. Tools that OpenAI hosts, such as <Code>web_search</Code>, are left out and named in the header{" "}
      <Code>X-Dropped-Tools</Code>.
    </p>
    <p>
      Nothing is stored here: Codex sends the whole conversation each time. Reasoning goes back encrypted, to the model that made it only.
      If you switch models in a session, the new one gets the conversation without the old reasoning.
    </p>
    <p>
      Codex compacts a conversation before it fills the context window that it assumes. For a model that it does not know, name the window
      of the models page: <Code>model_context_window = 128000</Code>. A conversation that is longer fails with{" "}
      <Code>context_length_exceeded</Code> in the stream, which Codex reports.
    </p>
  </Section>
);

const compaction = (
  <Section id="compaction" title="Compaction">
    <p>
      Near the end of the context window, or on <Code>/compact</Code>, Codex replaces the conversation with a summary. The setup above makes
      Codex write the summary itself, with a request like any other.
    </p>
    <p>
      With <Code>openai_base_url</Code>, Codex asks the service for it instead: its input ends with <Code>compaction_trigger</Code>. The
      model summarizes the conversation in one call, which is reserved and charged like an answer. The summary comes back as one{" "}
      <Code>compaction</Code> item, sealed for your account, and stands for the conversation in later requests, with any model. If the model
      writes no whole summary, the response is <Code>failed</Code> or <Code>incomplete</Code> and contains no item.
    </p>
    <p>
      Items that OpenAI or another service encrypted cannot be read here: the request fails with <Code>invalid_encrypted_content</Code>.
      Start a new session after a change of service.
    </p>
  </Section>
);

const money = (
  <Section id="money" title="Cost">
    <p>
      Each request reserves its maximum cost and is charged its exact cost. Give the key a spending cap under{" "}
      <DocLink href="/keys">Keys</DocLink>. Codex names no output limit, so the limit is 16,384 tokens, or less if your balance or the cap
      allow less. <DocLink href="/usage">Usage</DocLink> shows every request.
    </p>
  </Section>
);
