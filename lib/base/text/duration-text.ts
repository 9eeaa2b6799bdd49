// How a length of time is written: in the largest unit that it fills exactly, in the singular where it is one. Runs in a browser too.

const units = [
  { unit: "hour", seconds: 3_600 },
  { unit: "minute", seconds: 60 },
  { unit: "second", seconds: 1 },
] as const;

/** `1 second`, `90 seconds`, `5 minutes`, `24 hours`; a part of a second counts as a whole one. */
export function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  const { unit, seconds: each } = units.find((one) => whole >= one.seconds && whole % one.seconds === 0) ?? units[2];
  const count = whole / each;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
