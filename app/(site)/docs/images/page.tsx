import { imageExample } from "@/app/examples";
import { readSite } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { listModelPrices } from "@/lib/console/models";

export const metadata = docsMetadata("/docs/images");

export default function ImagesPage() {
  const site = readSite();
  const model = listModelPrices().find(({ takesImages }) => takesImages);
  return (
    <DocsArticle path="/docs/images">
      <Section id="send" title="Send an image">
        <p>
          Send the image as base64, or as an https URL that the model’s provider fetches. Models that accept images list <Code>image</Code>{" "}
          under <Code>inputModalities</Code> in <Code>GET /api/v1/models</Code>.
        </p>
        <FieldTable
          heading="Endpoint"
          rows={{
            "/api/v1/chat/completions": "OpenAI’s image_url parts.",
            "/api/v1/responses": "OpenAI’s input_image parts.",
            "/api/v1/messages": "Anthropic’s image blocks.",
          }}
        />
        {model ? <CodeBlock title="curl" copy={imageExample(site, model.id)} /> : <p>This service offers no model that accepts images.</p>}
      </Section>
      <Section id="limits" title="Formats and limits">
        <FieldTable
          isPlain
          heading="Limit"
          about="Value"
          rows={{
            Formats: "PNG, JPEG, GIF and WebP. Gemini doesn’t accept GIF; Grok accepts neither GIF nor WebP.",
            Images: "At most 100 in a request.",
            Dimensions: "At most 8,000 pixels per side. With more than 20 images, Claude accepts at most 2,000 pixels per side.",
            "Size as base64": "At most 10 MB per image for Claude, 20 MiB for Gemini and Grok, and 28 MiB for others.",
            Body: "At most 32 MiB for the whole request.",
            URLs: "Gemini doesn’t fetch URLs. Send the image itself.",
            "Other files":
              "PDF, audio and video are refused, because their cost can’t be limited in advance. In earlier messages, they are replaced with a line of text.",
          }}
        />
      </Section>
      <Section id="cost" title="Cost">
        <p>
          An image costs as many input tokens as the provider counts for it. The maximum for its size, or for the largest size if you send a
          URL, is reserved before the call. Set <Code>detail</Code> to <Code>low</Code> for fewer tokens; the default is <Code>high</Code>.{" "}
          <Code>original</Code> keeps every pixel, where the model supports it, and costs the most.
        </p>
      </Section>
    </DocsArticle>
  );
}
