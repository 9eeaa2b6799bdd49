// JSON for people to read. The tokens stay as they were written: a number that JavaScript would round is shown whole.

const INDENT = "  ";
/** Deeper JSON stays as it is: indenting it would make it a thousand times as long. */
const MAX_DEPTH = 100;

/** Characters. Nobody reads more, and millions would overflow the stack. */
const MAX_LENGTH = 2_000_000;

/** The text with a line for each member and element; unchanged when it is not JSON, too long or too deep. */
export function prettyJson(text: string): string {
  if (text.length > MAX_LENGTH || !isJson(text)) return text;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  if (depthOf(tokens) > MAX_DEPTH) return text;
  let depth = 0;
  const newLine = () => `\n${INDENT.repeat(depth)}`;
  return tokens
    .map((token, index) => {
      if (token === ",") return `,${newLine()}`;
      if (token === ":") return ": ";
      if (token === "{" || token === "[") {
        if (isClosing(tokens[index + 1])) return token;
        depth += 1;
        return `${token}${newLine()}`;
      }
      if (!isClosing(token) || isOpening(tokens[index - 1])) return token;
      depth -= 1;
      return `${newLine()}${token}`;
    })
    .join("");
}

const isOpening = (token: string | undefined): boolean => token === "{" || token === "[";
const isClosing = (token: string | undefined): boolean => token === "}" || token === "]";

function depthOf(tokens: readonly string[]): number {
  let [depth, most] = [0, 0];
  for (const token of tokens) {
    if (isOpening(token)) depth += 1;
    if (isClosing(token)) depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
