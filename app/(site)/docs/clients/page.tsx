import { readSite, type Site } from "@/app/site";
import { Code } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import { aiSdk, langchainExamples, openaiExamples } from "./examples";

export const metadata = docsMetadata("/docs/clients");

export default function ClientsPage() {
  const site = readSite();
  const model = defaultModelPrice(listModelPrices()).id;
  return (
    <DocsArticle path="/docs/clients">
      {openai(site, model)}
      {vercel(site, model)}
      {langchain(site, model)}
      {cursor(site, model)}
    </DocsArticle>
  );
}

const openai = (site: Site, model: string) => (
  <Section id="openai" title="OpenAI SDK">
    <CodeTabs name="openai" legend="Language" tabs={openaiExamples(site, model)} />
    <p>
      Responses are stateless: send the whole conversation in <Code>input</Code>, with the output of earlier responses. With{" "}
      <Code>include: ["reasoning.encrypted_content"]</Code>, that output contains reasoning for the same model to continue from. For chat
      completions, which don’t return reasoning, see the <DocLink href="/docs">quick start</DocLink>.
    </p>
  </Section>
);

const vercel = (site: Site, model: string) => (
  <Section id="ai-sdk" title="Vercel AI SDK">
    <CodeBlock title="TypeScript, with the AI SDK" copy={aiSdk(site, model)} />
    <p>
      Set <Code>store: false</Code>, so that the package sends whole items instead of references to stored ones.
    </p>
  </Section>
);

const langchain = (site: Site, model: string) => (
  <Section id="langchain" title="LangChain">
    <CodeTabs name="langchain" legend="Language" tabs={langchainExamples(site, model)} />
  </Section>
);

const cursor = (site: Site, model: string) => (
  <Section id="cursor" title="Cursor">
    <p>In Cursor’s settings, under Models, enter:</p>
    <FieldTable
      isPlain
      heading="Setting"
      about="Value"
      rows={{
        "OpenAI API Key": "Your key.",
        "Override OpenAI Base URL": <Code>{`${site.baseUrl}/api/v1`}</Code>,
        "Add model": <Code>{model}</Code>,
      }}
    />
    <p>Cursor’s servers call this URL, so it must be reachable from the internet.</p>
  </Section>
);
