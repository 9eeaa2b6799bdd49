import type { ReactNode } from "react";

// What only a program would write: what stands in backticks, details.reason, maxTokens, bad_json, a path of the API, the headers that errors speak of.
const apiName = /(`[^`]+`|details\.\w+|\/api\/v1\/\w+|\b[a-z]+[A-Z]\w*|\b[a-z]+(?:_[a-z]+)+|Idempotency-Key|Retry-After|\bpp_…)/;

/** A sentence of plain text with its API names set as such. */
export const WithCode = ({ text }: { text: string }) =>
  // Names stand at the odd places of what split returns.
  text
    .split(apiName)
    .map((part, index) => (index % 2 === 1 ? <Code key={`${part}${text.indexOf(part)}`}>{part.replaceAll("`", "")}</Code> : part));

/** A name of the API inside a sentence. */
export const Code = ({ children }: { children: ReactNode }) => (
  <code className="rounded-sm bg-panel px-1 py-px font-mono text-[0.875em] text-ink">{children}</code>
);
