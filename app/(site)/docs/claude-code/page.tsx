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
        <p>Set these variables before you start Claude Code, or put them in its settings file.</p>
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
          <Code>x-api-key</Code>. Either works. If both are sent, <Code>Authorization</Code> is used if it has a key that starts with{" "}
          <Code>pp_</Code>.
        </p>
      </Section>
      <Section id="models" title="Models">
        <p>
          You can use <DocLink href="/models">any model</DocLink> that answers prompts, not only Claude. <Code>ANTHROPIC_MODEL</Code> sets
          the main model, <Code>ANTHROPIC_DEFAULT_HAIKU_MODEL</Code> the model for small tasks such as titles.
        </p>
        <p>
          With <Code>CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY=1</Code>, <Code>/model</Code> also lists every Claude model that is
          available here. Set other models by name.
        </p>
      </Section>
      <Section id="differences" title="What is different">
        <FieldTable
          isPlain
          heading="Feature"
          about="How it works here"
          rows={{
            Balance:
              "Claude Code allows up to 32,000 output tokens, and each request reserves the cost of that maximum. With a small balance, turn on clipping for the key, or lower CLAUDE_CODE_MAX_OUTPUT_TOKENS.",
            "Hosted tools": "Tools that run at Anthropic, such as web search, are dropped and named in the header X-Dropped-Tools.",
            Betas: "Beta headers, priority, fast mode and unknown fields are ignored.",
            Thinking:
              "Thinking is kept between turns with the same model, and dropped when you switch models. A session that started at another service (claude --resume) gets one error, after which Claude Code drops that thinking and continues.",
            "Long sessions":
              "If a prompt is too long, the error has Anthropic’s wording and the limits of the model, so Claude Code compacts the session.",
            "Busy models":
              "If a model’s provider is busy, you get 529 overloaded_error with Retry-After, for every model. Claude Code waits and retries. You are not charged.",
            "Token counts": "Counted by Anthropic for its models. For other models, count_tokens returns an estimate, marked as such.",
            "Images and PDFs":
              "Images work with models that accept them. For other models, images read by a tool are replaced with a line of text, and an image in your latest message is refused with 400. PDFs in your latest message are refused for every model: send the text, or the pages as images. In earlier messages, both are replaced with a line of text, so that the session can continue.",
            "Prompt caching":
              "cache_control is passed on to Anthropic’s models. Set CLAUDE_CODE_ATTRIBUTION_HEADER=0 to keep prefixes identical between sessions.",
          }}
        />
      </Section>
      <Section id="sdk" title="Anthropic’s SDK">
        <CodeBlock title="TypeScript" copy={typescriptClient(site, model)} />
        <p>
          Errors have Anthropic’s types and statuses (such as 404 for an unknown model, 413 for a body that is too large and 529 for a busy
          model), plus our code and details. The <DocLink href="/docs/api/createMessage">API reference</DocLink> lists all fields.
        </p>
      </Section>
    </DocsArticle>
  );
}
