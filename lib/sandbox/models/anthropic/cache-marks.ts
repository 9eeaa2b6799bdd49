// The marks that end a prefix to be cached: `cache_control` on tools, system blocks and blocks of messages.
// Source: docs.anthropic.com/en/docs/build-with-claude/prompt-caching.

import type { CacheWishes } from "../vendor";

type Marked = { cache_control?: unknown; content?: unknown };

const isObject = (value: unknown): value is Marked => typeof value === "object" && value !== null;

/** The lifetimes of the marks on these blocks and inside them. */
function lifetimesIn(blocks: unknown): string[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.filter(isObject).flatMap((block) => {
    const inner = lifetimesIn(block.content);
    if (!isObject(block.cache_control)) return inner;
    return [...inner, (block.cache_control as { ttl?: string }).ttl ?? "5m"];
  });
}

/**
 * What the marks of a request ask for; undefined without any. `counts` are the simulated messages that each message became, after one for
 * the system text where there is one.
 */
export function readCacheWishes(
  request: { tools?: unknown; system?: unknown; messages: readonly { content: unknown }[] },
  counts: readonly number[],
): CacheWishes | undefined {
  let position = request.system === undefined ? 0 : 1;
  const places = [
    { at: 0, lifetimes: lifetimesIn(request.tools) },
    { at: position, lifetimes: lifetimesIn(request.system) },
    ...request.messages.map(({ content }, index) => {
      position += counts[index] ?? 0;
      return { at: position, lifetimes: lifetimesIn(content) };
    }),
  ];
  const marked = places.filter(({ lifetimes }) => lifetimes.length > 0);
  const last = marked.at(-1);
  return last && { upTo: last.at, forHours: marked.some(({ lifetimes }) => lifetimes.includes("1h")) };
}
