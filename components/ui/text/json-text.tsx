interface JsonTextProps {
  /** Indented JSON text. Text, since numbers of a parsed value would be floats. */
  text: string;
  /** Fields whose values are highlighted. */
  lit?: readonly string[];
}

interface Line {
  text: string;
  /** The line's offset in the whole text: its React key. */
  at: number;
}

/** JSON with muted field names and some highlighted values. */
export function JsonText({ text, lit = [] }: JsonTextProps) {
  return linesOf(text).map((line) => <JsonLine key={line.at} text={line.text} lit={lit} />);
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    lines.push({ text: line, at });
    at += line.length + 1;
  }
  return lines;
}

function JsonLine({ text, lit }: { text: string; lit: readonly string[] }) {
  const [, indent = "", name, rest = ""] = /^(\s*)"(\w+)":(.*)$/.exec(text) ?? [];
  if (name === undefined) return `${text}\n`;
  const isLit = lit.includes(name);
  return (
    <span>
      {indent}
      <span className={isLit ? "text-copper-ink" : "text-faint"}>&quot;{name}&quot;:</span>
      {isLit ? <Lit text={rest} /> : rest}
      {"\n"}
    </span>
  );
}

/** The value on a copper background; a comma after it stays outside. */
function Lit({ text }: { text: string }) {
  const [, value = "", comma = ""] = /^\s?(.*?)(,?)$/.exec(text) ?? [];
  return (
    <>
      {" "}
      <mark className="-mx-1 rounded-sm bg-copper-wash px-1 py-0.5 font-medium text-copper-ink">{value}</mark>
      {comma}
    </>
  );
}
