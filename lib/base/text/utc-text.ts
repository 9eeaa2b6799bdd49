/** A time in UTC, in the parts that `shape` names: `29 Nov 2026, 06:12`. */
export const utcText = (at: Date, shape: Intl.DateTimeFormatOptions): string =>
  // Some versions of ICU write "Sept", where every other short month has three letters.
  new Intl.DateTimeFormat("en-GB", { ...shape, timeZone: "UTC" }).format(at).replace("Sept ", "Sep ");
