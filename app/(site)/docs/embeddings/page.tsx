import { embeddingExample } from "@/app/examples";
import { readSite } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { listModelPrices } from "@/lib/console/models";

export const metadata = docsMetadata("/docs/embeddings");

export default function EmbeddingsPage() {
  const site = readSite();
  const models = listModelPrices().filter(({ type }) => type === "embedding");
  return (
    <DocsArticle path="/docs/embeddings">
      <Section id="make" title="Make embeddings">
        <p>
          Call <Code>POST /api/v1/embeddings</Code> as you call OpenAI’s. OpenAI’s SDKs work with the base URL changed; our client has{" "}
          <Code>embeddings()</Code>.
        </p>
        <CodeBlock title="curl" copy={embeddingExample(site)} />
        <FieldTable
          heading="Model"
          rows={Object.fromEntries(models.map(({ id, description, inputPrice }) => [id, `${description} $${inputPrice} per 1M tokens.`]))}
        />
      </Section>
      <Section id="batches" title="Batches and formats">
        <FieldTable
          heading="Field"
          rows={{
            input: "A text, up to 2,048 texts, or their tokens; each at most 8,192 tokens. The body may have 1 MiB.",
            encoding_format: "float (the default) or base64, which is shorter.",
            dimensions: "Fewer numbers for each text, where the model can shorten them.",
          }}
        />
        <p>One answer has at most 1,600,000 numbers, or 2,500,000 in base64.</p>
      </Section>
      <Section id="cost" title="Cost">
        <p>
          Only input is charged, by the provider’s own count. The maximum is reserved before the call. Send an <Code>Idempotency-Key</Code>:
          a repeated request returns the first embeddings and is charged once.
        </p>
      </Section>
    </DocsArticle>
  );
}
