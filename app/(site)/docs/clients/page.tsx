import type { Metadata } from "next";
import { readSite, type Site } from "@/app/site";
import { Code } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { DocsArticle } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import { aiSdk, langchainExamples, openaiExamples } from "./examples";

export const metadata: Metadata = {
  title: "Clients",
  description: "Set up Cursor, LangChain, the OpenAI SDK and the Vercel AI SDK.",
};

const chapters = [
  { id: "openai", title: "OpenAI SDK", Chapter: OpenAIChapter },
  { id: "ai-sdk", title: "Vercel AI SDK", Chapter: AiSdkChapter },
  { id: "langchain", title: "LangChain", Chapter: LangChainChapter },
  { id: "cursor", title: "Cursor", Chapter: CursorChapter },
];

interface ChapterProps {
  id: string;
  title: string;
  site: Site;
  model: string;
}

export default function ClientsPage() {
  const site = readSite();
  const model = defaultModelPrice(listModelPrices()).id;
  return (
    <DocsArticle
      current="/docs/clients"
      title="Clients"
      intro="Change the base URL and the key; everything else stays."
      sections={chapters}
    >
      {chapters.map(({ id, title, Chapter }) => (
        <Chapter key={id} id={id} title={title} site={site} model={model} />
      ))}
    </DocsArticle>
  );
}

function OpenAIChapter({ id, title, site, model }: ChapterProps) {
  return (
    <Section id={id} title={title}>
      <CodeTabs name={id} legend="Language" tabs={openaiExamples(site, model)} />
      <p>
        Responses are stateless: nothing is stored, so send the whole conversation in <Code>input</Code>, with the output of earlier
        responses. With <Code>include: ["reasoning.encrypted_content"]</Code> that output has reasoning that its model reads again. Chat
        completions are in the <DocLink href="/docs">quick start</DocLink>.
      </p>
    </Section>
  );
}

function AiSdkChapter({ id, title, site, model }: ChapterProps) {
  return (
    <Section id={id} title={title}>
      <CodeBlock title="Vercel AI SDK" copy={aiSdk(site, model)} />
      <p>
        Set <Code>store: false</Code>: the package then sends whole items instead of references to stored ones.
      </p>
    </Section>
  );
}

function LangChainChapter({ id, title, site, model }: ChapterProps) {
  return (
    <Section id={id} title={title}>
      <CodeTabs name={id} legend="Language" tabs={langchainExamples(site, model)} />
    </Section>
  );
}

function CursorChapter({ id, title, site, model }: ChapterProps) {
  return (
    <Section id={id} title={title}>
      <p>In Cursor’s settings, under Models:</p>
      <FieldTable
        isPlain
        heading="Setting"
        rows={[
          { name: "OpenAI API Key", about: "Your key." },
          { name: "Override OpenAI Base URL", about: <Code>{`${site.baseUrl}/api/v1`}</Code> },
          { name: "Add model", about: <Code>{model}</Code> },
        ]}
      />
      <p>
        Cursor’s servers call this address, so it must be reachable from the internet. <DocLink href="/docs/codex">Codex</DocLink> has a
        page of its own.
      </p>
    </Section>
  );
}
