import { imageExample } from "@/app/examples";
import { readSite } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";

export const metadata = docsMetadata("/docs/images");

export default function ImagesPage() {
  const site = readSite();
  return (
    <DocsArticle path="/docs/images">
      <Section id="send" title="Send an image">
        <p>
          Send the image in base64, or an https URL that the model’s provider fetches. <Code>GET /api/v1/models</Code> lists{" "}
          <Code>image</Code> under <Code>inputModalities</Code> for models that take images.
        </p>
        <FieldTable
          heading="Endpoint"
          rows={{
            "/api/v1/chat/completions": "OpenAI’s image_url parts.",
            "/api/v1/responses": "OpenAI’s input_image parts.",
            "/api/v1/messages": "Anthropic’s image blocks.",
          }}
        />
        <CodeBlock title="curl" copy={imageExample(site)} />
      </Section>
      <Section id="limits" title="Formats and limits">
        <FieldTable
          isPlain
          heading="What"
          rows={{
            Formats: "PNG, JPEG, GIF and WebP. Gemini takes no GIF; Grok takes neither GIF nor WebP.",
            Images: "At most 100 in a request.",
            Size: "At most 8,000 pixels an edge. With more than 20 images, Claude takes at most 2,000 pixels an edge.",
            Body: "At most 32 MiB.",
            URLs: "Gemini fetches none: send the image itself.",
            "Other files": "PDF, audio and video are refused: their cost has no limit before they are read.",
          }}
        />
      </Section>
      <Section id="cost" title="Cost">
        <p>
          An image costs the input tokens that the provider counts for it. Before the call, the maximum for its size is reserved. Set{" "}
          <Code>detail</Code> to <Code>low</Code> for fewer tokens; the default is <Code>high</Code>. <Code>original</Code> keeps every
          pixel where the model supports it, and costs the most.
        </p>
      </Section>
    </DocsArticle>
  );
}
