// Days and amounts as text on a chart.

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `2026-11-21` as `21 Nov`. */
export function shortDay(day: string): string {
  const [, month, date] = day.split("-");
  return `${Number(date)} ${months[Number(month) - 1] ?? ""}`;
}

/** `2026-11-21` as `21 Nov 2026`. */
export const longDay = (day: string): string => `${shortDay(day)} ${day.slice(0, 4)}`;

const NANO_PER_USD = 1e9;

/** An amount on an axis, which may be rounded: `$0`, `$0.002`, `$1.5`, `$12k`, `$1.5M`. Nano-USD. */
export function axisAmount(nano: number): string {
  const usd = nano / NANO_PER_USD;
  if (usd >= 1e6) return `$${trim((usd / 1e6).toFixed(2))}M`;
  if (usd >= 1e4) return `$${trim((usd / 1e3).toFixed(1))}k`;
  if (usd >= 1) return `$${trim(usd.toFixed(2))}`;
  return `$${trim(usd.toFixed(9).replace(/(\.0*[1-9]\d\d)\d*/, "$1"))}`;
}

/** The values named on an axis from 0 to at least `most`: at most four steps of 1, 2 or 5 times a power of ten. */
export function roundTicks(most: number): number[] {
  const raw = most / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw * (1 - 1e-9)) ?? raw;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step);
}

export const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

const trim = (text: string): string => (text.includes(".") ? text.replace(/(?:\.|(?<!0))0+$/, "") : text);
