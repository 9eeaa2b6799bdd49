// JSON for people to read. The tokens stay as they were written: a number that JavaScript would round is shown whole.

const INDENT = "  ";

/** The text with a line for each member and element; unchanged when it is not JSON. */
export function prettyJson(text: string): string {
  if (!isJson(text)) return text;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
