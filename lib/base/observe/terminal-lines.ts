// Log lines for a person at a terminal: time, level, message, and the facts that fit on the line.

const levelNames: Record<number, string> = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal" };
const levelColours: Record<number, string> = { 40: "\x1b[33m", 50: "\x1b[31m", 60: "\x1b[31m" };
const plain = "\x1b[0m";
const MAX_FACT = 80;

/** One log line, as JSON, in the form that a person reads. */
export function terminalLine(json: string): string {
  const { level, time, msg, err, ...facts } = JSON.parse(json) as Record<string, unknown>;
  const colour = process.env.NO_COLOR ? "" : (levelColours[Number(level)] ?? "");
  const name = (levelNames[Number(level)] ?? "").padEnd(5);
  const problem = typeof err === "object" && err !== null && "message" in err ? [`(${String(err.message)})`] : [];
  const words = [String(msg ?? ""), ...problem, ...Object.entries(facts).map(factText)];
  // A running clock may stand on the last line.
  return `\r\x1b[K${localTime(String(time))} ${colour}${name}${colour && plain} ${words.join(" ")}\n`;
}

const localTime = (time: string): string => new Date(time).toTimeString().slice(0, 8);

function factText([name, value]: [string, unknown]): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `${name}=${text.length > MAX_FACT ? `${text.slice(0, MAX_FACT)}…` : text}`;
}
