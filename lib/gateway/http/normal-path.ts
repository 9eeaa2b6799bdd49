// The form of a path. A path that can be read in two ways is refused: Next, which resolves dots and decodes letters, or a proxy in front of
// us would find another endpoint behind it, with other checks.

import { endpoint } from "./endpoint";
import { invalidRequest } from "./request";

/**
 * Empty and dot segments, backslashes, `#`, bytes that no URL may have, and percent-encoding that is broken or that a normal form (RFC 3986,
 * 6.2.2) does not have: of letters, digits, - . _ ~, and of the slash, the backslash and control characters.
 */
const NOT_NORMAL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /^[^/]|^$|\/\/|\/\.{1,2}(?:\/|$)|[\\#\x00-\x20\x7f-\uffff]|%(?![0-9a-f]{2})|%(?:[01][0-9a-f]|2[def]|3[0-9]|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9aef])/i;

export const isNormalPath = (path: string): boolean => !NOT_NORMAL.test(path);

const CURE =
  "The path is not normalized. Send it as in the API reference: without empty or dot segments, backslashes, or percent-encoded letters, digits, dots or slashes";

export const refuseOddPath = endpoint("unknown", async () => {
  throw invalidRequest([{ path: "", message: CURE }], "path");
});
