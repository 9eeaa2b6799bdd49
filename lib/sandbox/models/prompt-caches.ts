// The prompt caches of the simulated vendors: a request whose beginning was sent before reads it from the cache, in each vendor's own
// steps, and where a vendor bills writes, the new part is written. Whole messages are compared, not single tokens.
// Source: developers.openai.com/api/docs/guides/prompt-caching, docs.anthropic.com/en/docs/build-with-claude/prompt-caching,
// ai.google.dev/gemini-api/docs/caching, api-docs.deepseek.com/guides/kv_cache.

import { createHash } from "node:crypto";
import type { VendorId } from "@/lib/providers/model-route";
import { countInputTokens } from "./tokens";
import type { CacheCounts, SimulatedCall, Vendor } from "./vendor";

const PREFIXES_KEPT = 20_000;
const NOTHING: CacheCounts = { read: 0, written: 0, writtenForHours: 0 };

/** OpenAI bills writes since GPT-5.6. */
const BILLS_WRITES = /^gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)([.-]|$)/;

interface Steps {
  /** Shorter prefixes are not cached. */
  least: number;
  /** Reads are counted in whole steps. */
  step: number;
}

const steps: Readonly<Record<VendorId, Steps>> = {
  openai: { least: 1_024, step: 128 },
  anthropic: { least: 1_024, step: 1 },
  gemini: { least: 2_048, step: 1 },
  xai: { least: 1_024, step: 64 },
  deepseek: { least: 1_024, step: 64 },
};

export class PromptCaches {
  readonly #known = new Set<string>();

  /** The tokens that a call reads and writes; its own prefixes are known from then on. */
  count({ provider }: Pick<Vendor, "provider">, call: SimulatedCall): CacheCounts {
    const { least, step } = steps[provider];
    if (call.cache?.isOff) return NOTHING;
    const writesMarked = provider === "anthropic";
    if (writesMarked && call.cache?.upTo === undefined) return NOTHING;
    const end = call.cache?.upTo ?? call.messages.length;
    const prefixes = this.#prefixesOf(provider, call).slice(0, end);
    const known = prefixes.findLast(({ key }) => this.#known.has(key))?.tokens ?? 0;
    const read = known < least ? 0 : Math.floor(known / step) * step;
    const whole = prefixes.at(-1)?.tokens ?? 0;
    if (whole < least) return NOTHING;
    for (const { key } of prefixes) this.#remember(key);
    const isBilled = writesMarked || (provider === "openai" && BILLS_WRITES.test(call.model));
    const written = isBilled ? whole - read : 0;
    return call.cache?.forHours ? { read, written: 0, writtenForHours: written } : { read, written, writtenForHours: 0 };
  }

  /** The call's beginnings, message by message, with their tokens. */
  #prefixesOf(provider: string, call: SimulatedCall): { key: string; tokens: number }[] {
    const tools = JSON.stringify(call.tools);
    let key = hash(`${provider} ${call.model} ${call.cache?.scope ?? ""} ${tools}`);
    let tokens = countInputTokens([], call.tools);
    return call.messages.map((message) => {
      key = hash(`${key} ${JSON.stringify(message)}`);
      tokens += countInputTokens([message]);
      return { key, tokens };
    });
  }

  #remember(key: string): void {
    this.#known.delete(key);
    this.#known.add(key);
    const [oldest] = this.#known;
    if (this.#known.size > PREFIXES_KEPT && oldest !== undefined) this.#known.delete(oldest);
  }
}

const hash = (text: string): string => createHash("sha256").update(text).digest("base64");
