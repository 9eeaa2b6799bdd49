// Log lines on a terminal: time, level, message, then the facts. Everywhere else they are JSON, for programs.

const levels: Readonly<Record<number, string>> = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal" };
/** A start draws its step under way on the current line. */
const CLEAR = "\r\u001b[K";
/** In characters, of one fact. */
const MAX_FACT = 200;

/** A JSON line of the log as people read it; text that is none is passed on. */
export function linesForPeople(line: string): string {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const { level, time, msg, err, ...facts } = parsed;
  const shown = Object.entries(facts).map(([name, value]) => `${name}=${factText(value)}`);
  const head = `${String(time).slice(11, 19)} ${(levels[Number(level)] ?? "").padEnd(5)} ${String(msg)}`;
  return `${CLEAR}${[head, ...shown].join("  ")}${errorText(err)}\n`;
}

const factText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value)).slice(0, MAX_FACT);

/** The whole chain of causes, without stacks: those are in the JSON log. */
function errorText(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  const { type, message, cause } = error as { type?: string; message?: string; cause?: unknown };
  return `\n         ${type ?? "Error"}: ${message ?? ""}${errorText(cause)}`;
}
