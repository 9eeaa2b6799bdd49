import type { Metadata } from "next";
import { exportKey } from "@/app/examples";
import { readSite, type Site } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsArticle } from "@/components/docs/docs-frame";
import { DocLink, Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import { claudeModel, newestOf } from "../claude-code/examples";
import { codexConfig, codexOtherModel } from "./examples";

export const metadata: Metadata = {
  title: "Codex",
  description: "Use Codex CLI with any model, paid in USDC: config.toml, models, tools and limits.",
};

const chapters = [
  { id: "setup", title: "Setup", Chapter: SetupChapter },
  { id: "models", title: "Models", Chapter: ModelsChapter },
  { id: "tools", title: "Tools and reasoning", Chapter: ToolsChapter },
  { id: "money", title: "Cost", Chapter: MoneyChapter },
];

interface ChapterProps {
  id: string;
  title: string;
  site: Site;
  models: readonly string[];
}

export default function CodexPage() {
  const site = readSite();
  const prices = listModelPrices();
  const models = prices.map(({ id }) => id);
  const wanted = newestOf(models.filter((id) => /^gpt-\d.*-sol$/.test(id))) ?? defaultModelPrice(prices).id;
  const other = claudeModel(models) ?? models.find((id) => id !== wanted) ?? wanted;
  return (
    <DocsArticle current="/docs/codex" title="Codex" intro="Use Codex CLI with any model of the catalogue." sections={chapters}>
      {chapters.map(({ id, title, Chapter }) => (
        <Chapter key={id} id={id} title={title} site={site} models={[wanted, other]} />
      ))}
    </DocsArticle>
  );
}

function SetupChapter({ id, title, site, models: [model = ""] }: ChapterProps) {
  return (
    <Section id={id} title={title}>
      <CodeBlock title="Set the key" copy={exportKey(site)} />
      <CodeBlock title="~/.codex/config.toml" copy={codexConfig(site, model)} />
      <p>
        Then start <Code>codex</Code>. Codex speaks OpenAI’s Responses, so <Code>wire_api</Code> is <Code>responses</Code>.{" "}
        <Code>env_key</Code> is the name of the variable that holds your key, not the key.
      </p>
    </Section>
  );
}

function ModelsChapter({ id, title, models: [model = "", other = model] }: ChapterProps) {
  return (
    <Section id={id} title={title}>
      <p>
        Use any ID from the <DocLink href="/models">models page</DocLink>, for one run too:
      </p>
      <CodeBlock title="Another model" copy={codexOtherModel(other)} />
      <p>Codex warns that it has no metadata for models it does not know. They work; it then assumes a context window of its own.</p>
    </Section>
  );
}

function ToolsChapter({ id, title }: ChapterProps) {
  return (
    <Section id={id} title={title}>
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
    </Section>
  );
}

function MoneyChapter({ id, title }: ChapterProps) {
  return (
    <Section id={id} title={title}>
      <p>
        Each request reserves its maximum cost and is charged its exact cost. Give the key a spending cap under{" "}
        <DocLink href="/keys">Keys</DocLink>. Codex names no output limit, so the limit is 16,384 tokens, or less if your balance or the cap
        allow less. <DocLink href="/usage">Usage</DocLink> shows every request.
      </p>
    </Section>
  );
}
