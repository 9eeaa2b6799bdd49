import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsArticle } from "@/components/docs/docs-frame";
import { Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { embeddingExample } from "./example";

export const metadata: Metadata = {
  title: "Embeddings",
  description: "Turn texts into embeddings with OpenAI's format: models, batches, and what they cost.",
};

const sections = [
  { id: "make", title: "Make embeddings" },
  { id: "batches", title: "Batches and formats" },
  { id: "cost", title: "Cost" },
];

export default function EmbeddingsPage() {
  const site = readSite();
  return (
    <DocsArticle current="/docs/embeddings" title="Embeddings" intro="Turn texts into embeddings, in OpenAI's format." sections={sections}>
      <Section id="make" title="Make embeddings">
        <p>
          <Code>POST /api/v1/embeddings</Code> takes one of <Code>text-embedding-3-small</Code>, <Code>text-embedding-3-large</Code> and{" "}
          <Code>text-embedding-ada-002</Code>. OpenAI SDKs work with the base URL changed; our client has <Code>embeddings()</Code>.
        </p>
        <CodeBlock title="curl" copy={embeddingExample(site)} />
      </Section>
      <Section id="batches" title="Batches and formats">
        <p>
          <Code>input</Code> is a text, up to 2,048 texts, or tokens; each at most 8,192 tokens. The body may have 1 MiB.{" "}
          <Code>encoding_format</Code> is <Code>float</Code> (the default) or <Code>base64</Code>, which is shorter. One answer has at most
          1,600,000 numbers, or 2,500,000 in base64; <Code>dimensions</Code> asks for fewer per text.
        </p>
      </Section>
      <Section id="cost" title="Cost">
        <p>
          Only input is charged, by the provider's own count. The maximum is reserved before the call. Send an <Code>Idempotency-Key</Code>:
          a repeated request returns the first embeddings and is charged once.
        </p>
      </Section>
    </DocsArticle>
  );
}
