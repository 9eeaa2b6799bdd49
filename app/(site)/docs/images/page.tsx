import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsArticle } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { imageExample } from "./example";

export const metadata: Metadata = {
  title: "Images",
  description: "Send images to models: formats, limits, and what they cost.",
};

const sections = [
  { id: "send", title: "Send an image" },
  { id: "limits", title: "Formats and limits" },
  { id: "cost", title: "Cost" },
];

export default function ImagesPage() {
  const site = readSite();
  return (
    <DocsArticle current="/docs/images" title="Images" intro="Send images beside text to models that take them." sections={sections}>
      <Section id="send" title="Send an image">
        <p>
          Send the image in base64, or an https URL that the model’s provider fetches. <Code>GET /api/v1/models</Code> lists{" "}
          <Code>image</Code> under <Code>inputModalities</Code> for models that take images.
        </p>
        <FieldTable
          heading="Endpoint"
          rows={[
            { name: "/api/v1/chat/completions", about: "OpenAI’s image_url parts." },
            { name: "/api/v1/responses", about: "OpenAI’s input_image parts." },
            { name: "/api/v1/messages", about: "Anthropic’s image blocks." },
          ]}
        />
        <CodeBlock title="curl" copy={imageExample(site)} />
      </Section>
      <Section id="limits" title="Formats and limits">
        <FieldTable
          isPlain
          heading="What"
          rows={[
            { name: "Formats", about: "PNG, JPEG, GIF and WebP. Gemini takes no GIF; Grok takes neither GIF nor WebP." },
            { name: "Images", about: "At most 100 in a request." },
            { name: "Size", about: "At most 8,000 pixels an edge. With more than 20 images, Claude takes at most 2,000 pixels an edge." },
            { name: "Body", about: "At most 32 MiB." },
            { name: "URLs", about: "Gemini fetches none: send the image itself." },
            { name: "Other files", about: "PDF, audio and video are refused: their cost has no limit before they are read." },
          ]}
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
