import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { Code } from "@/components/docs/code";
import { DocsArticle } from "@/components/docs/docs-frame";
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
          <Code>POST /api/v1/chat/completions</Code> takes OpenAI's <Code>image_url</Code> parts: a data URL with the image in base64, or an
          https URL that the model's provider fetches. <Code>GET /api/v1/models</Code> lists <Code>image</Code> under{" "}
          <Code>inputModalities</Code> for models that take images.
        </p>
        <CodeBlock title="curl" copy={imageExample(site)} />
      </Section>
      <Section id="limits" title="Formats and limits">
        <p>
          PNG, JPEG, GIF and WebP; GIF not at Grok and Gemini, WebP not at Grok. At most 100 images in a request and 8,000 pixels an edge;
          at Claude 2,000 pixels with more than 20 images. A body may have 32 MiB. Gemini fetches no URLs: send the image itself. PDF,
          audio, video and other files are rejected, because their cost cannot be bounded before they are read.
        </p>
      </Section>
      <Section id="cost" title="Cost">
        <p>
          An image is charged as the input tokens that the provider counts. Before the call the maximum for its size is reserved. Set{" "}
          <Code>detail</Code> to <Code>low</Code> for fewer tokens; without it, <Code>high</Code> is sent. <Code>original</Code> keeps every
          pixel at models that know it, and costs the most.
        </p>
      </Section>
    </DocsArticle>
  );
}
