import type { ReactNode } from "react";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { parseUsd } from "@/lib/base/money";
import type { ModelPrice } from "@/lib/console/views/models";
import { priceModel } from "./model-row";

const EXAMPLE = { input: 1_000n, output: 500n };

const kindText: Readonly<Record<ModelPrice["prices"][number]["kind"], string>> = {
  input: "Input",
  cache_read: "Cached input",
  cache_write: "Cache write",
  cache_write_1h: "Cache write, for hours",
  image: "Image input",
  output: "Output",
  reasoning: "Reasoning",
};

/** A model's prices, kind by kind, and what one request of an example size costs. */
export function ModelPrices({ model }: { model: ModelPrice }) {
  const { cost } = priceModel(model, EXAMPLE);
  const prices = model.prices.map((price) => ({ ...price, amount: parseUsd(price.per1M) }));
  const places = placesOf(prices.map(({ amount }) => amount));
  return (
    <Facts title="Pricing">
      {prices.map(({ kind, fromInputTokens, amount }) => (
        <Fact
          key={`${kind} ${fromInputTokens}`}
          name={`${kindText[kind]}, per 1M tokens${fromInputTokens ? longPrompt(fromInputTokens) : ""}`}
        >
          <Amount nano={amount} places={places} />
        </Fact>
      ))}
      {cost === null ? null : (
        <Fact name={`Example: ${countText(Number(EXAMPLE.input))} tokens in, ${countText(Number(EXAMPLE.output))} out`}>
          <Amount nano={cost} />
        </Fact>
      )}
    </Facts>
  );
}

const longPrompt = (fromInputTokens: number): string => `, prompts from ${countText(fromInputTokens)} tokens on`;

/** What a model can do. */
export const ModelFacts = ({ model: { provider, contextWindow, maxOutputTokens, aliases } }: { model: ModelPrice }) => (
  <Facts title="Features">
    <Fact name="Provider">{provider}</Fact>
    <Fact name="Context window">{countText(contextWindow)} tokens</Fact>
    <Fact name="Max output">{countText(maxOutputTokens)} tokens</Fact>
    <Fact name="Streaming">Yes</Fact>
    <Fact name="Tool calling">Yes, with /chat/completions</Fact>
    <Fact name="JSON output">Yes, with /chat/completions</Fact>
    {aliases.length === 0 ? null : (
      <Fact name={aliases.length === 1 ? "Alias" : "Aliases"}>
        <span className="font-mono break-all">{aliases.join(", ")}</span>
      </Fact>
    )}
  </Facts>
);

const Facts = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className="mt-10">
    <h2 className="text-base font-medium">{title}</h2>
    <dl className="mt-3 border-t border-line text-sm">{children}</dl>
  </section>
);

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex flex-wrap justify-between gap-x-6 border-b border-line py-2.5">
    <dt className="text-muted">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
);
