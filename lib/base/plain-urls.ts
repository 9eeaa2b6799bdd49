// Settings that must not be plain http in live mode: what a node answers decides who signs in and what is credited, and a page that is sent
// in plain shows its visitors' sessions to everybody on the way.

const isLoopback = (url: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);

const isPlain = (url: string): boolean => url.startsWith("http://") && !isLoopback(url);

interface Urls {
  PUBLIC_URL?: string | undefined;
  BASE_RPC_URLS: readonly string[];
  SOLANA_RPC_URLS: readonly string[];
}

/** What is wrong, with what to write; http to this machine itself is allowed. */
export function findPlainUrls({ PUBLIC_URL, BASE_RPC_URLS, SOLANA_RPC_URLS }: Urls): string[] {
  const problems = PUBLIC_URL !== undefined && isPlain(PUBLIC_URL) ? ["PUBLIC_URL: begin it with https:// in live mode"] : [];
  for (const [name, urls] of Object.entries({ BASE_RPC_URLS, SOLANA_RPC_URLS })) {
    if (urls.some(isPlain)) problems.push(`${name}: begin each node with https:// in live mode, or run it on this machine`);
  }
  return problems;
}
