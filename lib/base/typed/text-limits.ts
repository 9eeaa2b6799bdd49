// How long a text may be that a person enters on a page. The form that checks a field and the field that says its limit take it from here,
// and count alike: characters as people see them, so that an emoji is one, without the spaces around.

export interface TextLimit {
  /** Characters. */
  max: number;
}

/** The fields of pages. */
export const textLimits = {
  keyName: { max: 60 },
  endpointName: { max: 64 },
  url: { max: 1_000 },
  mailAddress: { max: 254 }, // RFC 5321, 4.5.3.1.3, without the angle brackets
  /** More digits than any amount has. */
  amount: { max: 40 },
  /** A whole number, such as a count of tokens. */
  count: { max: 10 },
  networks: { max: 1_000 },
  search: { max: 100 },
} satisfies Record<string, TextLimit>;

/** Beyond this a text is not counted exactly. */
const MOST_COUNTED = 100_000;
/** From this part of the limit on, a field says how much is left. */
const NEAR = 0.8;

export function countCharacters(text: string): number {
  if (text.length > MOST_COUNTED) return text.length;
  return [...text.normalize("NFC").trim()].length;
}

export const isTooLong = (text: string, { max }: TextLimit): boolean => countCharacters(text) > max;

export const tooLongText = (text: string, { max }: TextLimit): string =>
  `Use at most ${max.toLocaleString("en-US")} characters. This has ${countCharacters(text).toLocaleString("en-US")}.`;

/** `52 of 60 characters`; null while the text is far from its limit. */
export function nearLimitText(text: string, { max }: TextLimit): string | null {
  const count = countCharacters(text);
  return count < max * NEAR ? null : `${count.toLocaleString("en-US")} of ${max.toLocaleString("en-US")} characters`;
}
