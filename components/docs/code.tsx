import type { ReactNode } from "react";

// Text that only a program would write: in backticks, details.reason, maxTokens, bad_json, an API path, the headers named in errors.
const apiName = /(`[^`]+`|details\.\w+|\/api\/v1\/\w+|\b[a-z]+(?:_[a-z]|[A-Z])\w*|Idempotency-Key|Retry-After|\bpp_…)/;

/** A sentence of plain text with its API names set in code style. */
export const WithCode = ({ text }: { text: string }) =>
  // split returns the names at odd indexes.
  text
    .split(apiName)
    .map((part, index) => (index % 2 === 1 ? <Code key={`${part}${text.indexOf(part)}`}>{part.replaceAll("`", "")}</Code> : part));

/** An API name inside a sentence. */
export const Code = ({ children }: { children: ReactNode }) => (
  <code className="rounded-sm bg-panel px-1 py-px font-mono text-[0.875em] text-ink [overflow-wrap:anywhere]">{children}</code>
);
