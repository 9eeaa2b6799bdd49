import { readSite } from "@/app/site";
import { Code } from "@/components/docs/code";
import { CodeTabs } from "@/components/docs/code-tabs";
import { DocsArticle, docsMetadata } from "@/components/docs/docs-frame";
import { FieldTable } from "@/components/docs/field-table";
import { DocLink, Section } from "@/components/docs/section";
import { CodeBlock } from "@/components/ui/code-block";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import { claudeModel, settingsFile, shellSetup, typescriptClient } from "./examples";

export const metadata = docsMetadata("/docs/claude-code");

export default function ClaudeCodePage() {
  const site = readSite();
  const prices = listModelPrices();
  const model = claudeModel(prices.map(({ id }) => id)) ?? defaultModelPrice(prices).id;
  return (
    <DocsArticle path="/docs/claude-code">
      <Section id="setup" title="Set up Claude Code">
        <p>Set two variables before you start Claude Code, or put them into its settings file.</p>
        <CodeTabs
          name="setup"
          legend="Where"
          tabs={[
            { label: "Shell", title: "Terminal", code: shellSetup(site, model) },
            { label: "Settings file", title: "~/.claude/settings.json", code: settingsFile(site, model) },
          ]}
        />
        <p>
          <Code>ANTHROPIC_AUTH_TOKEN</Code> is sent as <Code>Authorization: Bearer</Code>, <Code>ANTHROPIC_API_KEY</Code> as{" "}
          <Code>x-api-key</Code>. Either works. If both are set, the one in <Code>Authorization</Code> counts.
        </p>
      </Section>
      <Section id="models" title="Models">
        <p>
          Any model of <DocLink href="/models">the list</DocLink> works, not only Claude. <Code>ANTHROPIC_MODEL</Code> is the main model,{" "}
          <Code>ANTHROPIC_DEFAULT_HAIKU_MODEL</Code> the one for small tasks such as titles.
        </p>
        <p>
          With <Code>CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY=1</Code>, <Code>/model</Code> also lists every Claude that is available
          here. Other models work by name.
        </p>
      </Section>
      <Section id="differences" title="What is different">
        <FieldTable
          isPlain
          heading="Topic"
          rows={{
            Balance:
              "Claude Code allows every answer up to 32,000 tokens, and that maximum is reserved for each request. With a small balance, turn on clipping for the key, or lower CLAUDE_CODE_MAX_OUTPUT_TOKENS.",
            "Hosted tools": "Tools that run at Anthropic, such as web search, are left out. The header X-Dropped-Tools names them.",
            Betas: "Beta headers, priority, fast mode and unknown fields are ignored.",
            Thinking:
              "Thinking is kept between turns with the same model, and left out when you switch models. A session that began at another service (claude --resume) is refused once, in the words after which Claude Code leaves that thinking out.",
            "Long sessions":
              "A prompt that is too long is refused in Anthropic's words with the model's own numbers, so Claude Code compacts.",
            "Busy models":
              "529 overloaded_error with Retry-After, whichever provider is busy. Claude Code waits and tries again. You pay nothing.",
            "Token counts": "Counted ahead by Anthropic for its models. For others, count_tokens answers an estimate, marked as one.",
            "Images and PDFs":
              "Images work with models that take them. With other models a line stands for a picture that a tool read, and an image in your newest message is refused with 400. A PDF there is refused too: send its text, or its pages as images. In older messages a line stands for both, so that the session goes on.",
            "Prompt caching":
              "cache_control is passed to Anthropic's models. CLAUDE_CODE_ATTRIBUTION_HEADER=0 keeps prefixes equal between sessions.",
          }}
        />
      </Section>
      <Section id="sdk" title="Anthropic’s SDK">
        <CodeBlock title="TypeScript" copy={typescriptClient(site, model)} />
        <p>
          Errors have Anthropic’s types and statuses, with our code and details inside. The{" "}
          <DocLink href="/docs/api">API reference</DocLink> lists the fields.
        </p>
      </Section>
    </DocsArticle>
  );
}
