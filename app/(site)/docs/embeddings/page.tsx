import { embeddingExample } from "@/app/examples";
import { readSite } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { listModelPrices } from "@/lib/console/models";

export const metadata = docsMetadata("/docs/embeddings");

export default function EmbeddingsPage() {
  const site = readSite();
  const models = listModelPrices().filter(({ type }) => type === "embedding");
  const first = models.find(({ id }) => id === "text-embedding-3-small") ?? models[0];
  return (
    <DocsArticle path="/docs/embeddings">
      <Section id="make" title="Create embeddings">
        <p>
          <Code>POST /api/v1/embeddings</Code> takes OpenAI’s request and returns OpenAI’s response. OpenAI’s SDKs work with a different
          base URL and key; with our client, call <Code>embeddings()</Code>. <DocLink href="/docs#key">Set your key</DocLink>, then paste
          this:
        </p>
        {first ? <CodeBlock title="curl" copy={embeddingExample(site, first.id)} /> : <p>This service offers no embedding models.</p>}
        <FieldTable
          heading="Model"
          rows={Object.fromEntries(models.map(({ id, description, inputPrice }) => [id, `${description} $${inputPrice} per 1M tokens.`]))}
        />
      </Section>
      <Section id="batches" title="Batches and formats">
        <FieldTable
          heading="Field"
          rows={{
            input: "One text, an array of up to 2,048 texts, or their tokens. At most 8,192 tokens each, and 1 MiB for the whole body.",
            encoding_format: "float or base64, which is shorter. Default: float.",
            dimensions: "Fewer numbers per embedding, if the model supports it.",
          }}
        />
        <p>A response has at most 1,600,000 numbers, or 2,500,000 in base64.</p>
      </Section>
      <Section id="cost" title="Cost">
        <p>
          You only pay for input tokens, as counted by the provider. The maximum cost is reserved before the call. With an{" "}
          <Code>Idempotency-Key</Code>, a repeated request returns the first embeddings for 24 hours and is charged once.
        </p>
      </Section>
    </DocsArticle>
  );
}
