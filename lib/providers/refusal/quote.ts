// A provider's words as they may be repeated: one line of bounded length, without the operator's and the provider's own details: keys,
// hosts, addresses, names of accounts and ids of requests. They may still hold words of the prompt, which belong to its sender alone.

/** Longer words are not read further: the rest is a page or a whole body. */
export const MAX_READ = 4_800;

/** The words on one line, at most `maxLength` characters. */
export function quoteWords(words: string, maxLength: number): string {
  const line = plainSigns(words.slice(0, MAX_READ))
    .replace(/[\p{Z}\s]+/gu, " ")
    .replace(/\S+/g, hideUserInfo)
    .replace(authorization, hideCredentials)
    .replace(/Bearer \S+/gi, "Bearer [key]")
    .replace(/\b(Basic) ([^\s"'`,;]+)/gi, (whole, scheme: string, value: string) => (isBasic(value) ? `${scheme} [key]` : whole))
    .replace(labelledSecret, hideSecret)
    .replace(labelledId, (whole, label: string, between: string, id: string) => (/\d/.test(id) ? `${label}${between}[id]` : whole))
    .replace(labelledName, hideName)
    .replace(/[-_*.A-Za-z0-9]+/g, (word) => (looksLikeKey(word) ? "[key]" : word))
    .replace(/[^\s"'`()<>{},;]+/g, hideToken)
    .trim();
  return line.length <= maxLength ? line : line.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
}

/** Signs that nobody sees go, and letters of other widths become plain ones: a key with them in it would be no word that looks like one. */
const plainSigns = (text: string): string =>
  text
    .replace(/[\p{DI}\p{C}]+/gu, (signs) => (/[\t-\r]/.test(signs) ? " " : ""))
    .replace(/[\u2010-\u2012\u2212\ufe63\uff0d]/g, "-")
    .replace(/[\uff0e\uff10-\uff1a\uff1d\uff20-\uff3a\uff3f\uff41-\uff5a\u{1d400}-\u{1d7ff}\u2460-\u24ff]+/gu, (letters) =>
      letters.normalize("NFKC"),
    );

/** A URL, with or without its scheme, with a name and a password in it: `user:password@host`. */
function hideUserInfo(word: string): string {
  const at = word.lastIndexOf("@");
  const colon = word.indexOf(":");
  if (at <= 0 || colon < 1 || colon > at || !/[\w[]/.test(word.charAt(at + 1))) return word;
  let start = 0;
  while ("\"'`(<[{".includes(word.charAt(start))) start += 1;
  let end = word.length;
  while ("\"'`)>]}.,:;!?".includes(word.charAt(end - 1))) end -= 1;
  return `${word.slice(0, start)}[url]${word.slice(end)}`;
}

/** Base64 of `name:password`. */
function isBasic(value: string): boolean {
  const text = Buffer.from(value, "base64").toString("latin1");
  return text.includes(":") && /^[\x20-\x7e]+$/.test(text);
}

const authorization = /\b((?:proxy-)?authorization)(["'`]?\s?[:=]\s?["'`]?)([^\s"'`,;]+)((?: [^\s"'`,;]+)?)/gi;

function hideCredentials(whole: string, label: string, between: string, scheme: string, credentials: string): string {
  // Bearer is hidden wherever it stands.
  if (isSaidOfFields(scheme) || /^bearer$/i.test(scheme)) return whole;
  // A scheme and its credentials, or credentials alone.
  return /^(?:basic|digest|token|apikey|key|negotiate|aws4-hmac-sha256)$/i.test(scheme)
    ? `${label}${between}${scheme} [key]`
    : `${label}${between}[key]${/^ [a-z]+$/.test(credentials) ? credentials : ""}`;
}

/** After a name that says what it is: `password: x`, `token=x`, `"api_key": "x"`. */
const labelledSecret =
  /(?<![\w-])([\w-]*(?:api[ _-]?key|(?:access|auth|refresh|session|security|bearer)[ _-]?token|(?:access|private|secret|signing)[ _-]?key|password|passwd|passphrase|secret)|pwd|token|key|(?:set-)?cookie|credentials?)((?: (?:provided|given|used))?["'`]?\s?[:=]\s?)("[^"]{1,200}"|'[^']{1,200}'|`[^`]{1,200}`|[^\s"'`,;&()[\]{}<>]+)/gi;

/** Words of these are most often no secrets: "Unexpected token: foo", "Duplicate key: name". */
const oftenNoSecret = /^(?:token|key|(?:set-)?cookie|credentials?)$/i;

function hideSecret(whole: string, label: string, between: string, value: string): string {
  const quote = /^["'`]/.exec(value)?.[0] ?? "";
  const inner = quote === "" ? value.replace(/[.:!?]{1,3}$/, "") : value.slice(1, -1);
  // A text that looks like a key is hidden wherever it stands.
  const isKey = /^[-_*.A-Za-z0-9]+$/.test(value) && looksLikeKey(value);
  if (inner === "" || isKey || isSaidOfFields(inner)) return whole;
  const isPlainWord = /^[a-zA-Z_]{1,15}$/.test(inner);
  if (oftenNoSecret.test(label) && (/^key$/i.test(label) || !between.includes("=")) && isPlainWord) return whole;
  return `${label}${between}${quote}[key]${quote}${quote === "" ? value.slice(inner.length) : ""}`;
}

const saidOfFields = new Set(
  (
    "a an and any are array at be boolean by can cannot check could denied does expected expired extra failed false field for has have " +
    "if in incorrect input integer invalid is it malformed may missing must no none not null number object of only or permission please " +
    "property provide provided required revoked see should string that the this to too true type unable unauthorized undefined " +
    "unexpected unknown use value values was we wrong you your"
  ).split(" "),
);

/** Of a field that has the name of a secret: "password: Field required". */
const isSaidOfFields = (words: string): boolean => saidOfFields.has(/^[a-z]+(?![\w-])/i.exec(words)?.[0].toLowerCase() ?? "");

/** The same for our log: a long text in quotes is most often the prompt's. */
export const hideLongQuotes = (line: string): string =>
  line.replace(/(^|[\s(:=[])(["'`])(?:(?!\2).){33,}?\2(?=$|[\s.,;:)\]])/g, "$1$2[…]$2");

const labelledId = /\b((?:x-)?(?:request|trace|correlation|session|log)[ _-]?id)\b([\s:="'`(]{1,4})([\w.:/-]+)/gi;
const labelledName =
  /\b(organi[sz]ation|org|project|account|team|workspace|tenant|subscription|deployment|resource|consumer)((?:[ _](?:name|id|number))?)([\s:=(]{1,3}["'`]?|["`])([\w.:/-]+)/gi;

/** Names are quoted, or no plain words; "your organization has" and "a project must" are. */
function hideName(whole: string, label: string, kind: string, between: string, name: string): string {
  const isQuoted = /["'`]$/.test(between);
  const isName = isQuoted || /[\d_-]/.test(name) || kind !== "" || (/^organi/i.test(label) && /^[A-Z]/.test(name));
  return isName ? `${label}${kind}${between}[name]` : whole;
}

const knownKey = /\b(?:sk|pk|gsk|xai)[-_].{6}|\bAIza.{8}|\bAKIA[A-Z0-9]{12}|\bya29\..{6}|\beyJ[\w-]{8,}\.|[^*]\*{3}/;
const prefixedKey = /\b(?:ak|csk|fw|ghp|hf|key|nvapi|pp|pplx|r8|rk|tgp|together)[-_]/i;

/**
 * Providers quote a refused key whole or in part: `sk-ab***yz`, `xa***na`. Keys without a known beginning are long runs of letters and
 * digits (Mistral, Azure); ids of tool calls (24) and names of tools are shorter between their signs.
 */
function looksLikeKey(word: string): boolean {
  if (knownKey.test(word)) return true;
  if (word.length < 20 || !/\d/.test(word)) return false;
  if (prefixedKey.test(word)) return true;
  return word.split(/[-_.*]/).some((run) => run.length >= 30 && /[a-z]/i.test(run) && /\d/.test(run));
}

const host = /^(?:[\w-]+\.)+(?:ai|app|cloud|co|com|dev|example|internal|io|lan|local|localdomain|net|org|svc|test)(?::\d+)?(?:\/.*)?$/i;
const address = /^(?:localhost|\[?[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*\]?|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:\/.*)?$/i;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const ownId =
  /^(?:(?:org|proj|acct|req)-\w|(?:org|proj|acct|req|chatcmpl|cmpl)[-_]\w*\d|(?:gen|team|trace|user)[-_](?=\w*\d)\w{8}|arn:|(?:projects|organizations|accounts|subscriptions)\/)/i;

/** Also as JSON escapes it, and percent-encoded. */
const writtenUrl = /^www\.|(?::|%3a)(?:\\?\/|%2f){2}/i;

function hideToken(token: string): string {
  let length = token.length;
  while (length > 0 && ".:!?".includes(token.charAt(length - 1))) length -= 1;
  const [word, end] = [token.slice(0, length), token.slice(length)];
  if (writtenUrl.test(word)) return `[url]${end}`;
  if (/^data:/i.test(word) || (/^[\w+/=-]{64,}$/.test(word) && /\d/.test(word))) return `[data]${end}`;
  if (/@[\w-]+\./.test(word)) return `[email]${end}`;
  if (host.test(word) || address.test(word)) return `[host]${end}`;
  if (uuid.test(word) || ownId.test(word)) return `[id]${end}`;
  return token;
}
