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
      Then start <Code>codex</Code>. Codex uses OpenAI’s Responses API, so <Code>wire_api</Code> is <Code>responses</Code>.{" "}
      <Code>env_key</Code> is the name of the variable with your key, not the key itself. Responses are only sent over HTTP;{" "}
      <Code>supports_websockets = false</Code> saves Codex a refused attempt.
    </p>
  </Section>
);

const models = (other: string) => (
  <Section id="models" title="Models">
    <p>
      Use any ID from <DocLink href="/models">Models and prices</DocLink>. For a single run:
    </p>
    <CodeBlock title="Another model" copy={`codex --model ${other}`} />
    <p>Codex warns you if it has no metadata for a model. The model works, but Codex assumes a default context window.</p>
  </Section>
);

const tools = (
  <Section id="tools" title="Tools and reasoning">
    <p>
      Codex’s functions, its custom tool <Code>apply_patch</Code> and tools of MCP servers work with every model. Models without custom
      tools get <Code>apply_patch</Code> as a function with one text field and the grammar in its description. Tools that OpenAI hosts, such
      as <Code>web_search</Code>, are dropped and named in the header <Code>X-Dropped-Tools</Code>.
    </p>
    <p>
      We don’t store conversations: Codex sends the whole conversation each time. Reasoning travels in <Code>encrypted_content</Code>,
      signed for your account, and is only passed to the model that wrote it. If you switch models in a session, the new model gets the
      conversation without the earlier reasoning.
    </p>
    <p>
      Codex compacts a conversation before it fills the context window. For a model that Codex doesn’t know, set the window from its model
      page, for example <Code>model_context_window = 128000</Code>. A longer conversation fails with <Code>context_length_exceeded</Code>.
    </p>
  </Section>
);

const compaction = (
  <Section id="compaction" title="Compaction">
    <p>
      Near the end of the context window, or on <Code>/compact</Code>, Codex replaces the conversation with a summary. With the setup above,
      Codex writes the summary itself, with a regular request.
    </p>
    <p>
      With <Code>openai_base_url</Code>, Codex asks us for the summary: its input ends with <Code>compaction_trigger</Code>. The model
      summarizes the conversation in one call, charged like any other. The response contains one <Code>compaction</Code> item, signed for
      your account, that replaces the conversation in later requests to any model. If the model doesn’t finish the summary, the response is{" "}
      <Code>failed</Code> or <Code>incomplete</Code> and contains no item, but the call is still charged.
    </p>
    <p>
      Items encrypted by OpenAI or another service can’t be read here, and the request fails with <Code>invalid_encrypted_content</Code>.
      Start a new session when you switch services.
    </p>
  </Section>
);

const money = (
  <Section id="money" title="Cost">
    <p>
      Each request reserves its maximum cost and is charged its exact cost. Set a spending limit for the key under{" "}
      <DocLink href="/keys">Keys</DocLink>. Codex sets no output limit, so the limit is 16,384 tokens, or less if the model, your balance or
      the spending limit allows less. <DocLink href="/usage">Usage</DocLink> shows the cost of each request.
    </p>
  </Section>
);
