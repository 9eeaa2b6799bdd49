// What live mode asks of PUBLIC_URL and of the chains' nodes: what a node answers decides who signs in and what is credited, and a page that
// is sent in plain shows its visitors' sessions to everybody on the way.

const isLoopback = (url: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);

const isPlain = (url: string): boolean => url.startsWith("http://") && !isLoopback(url);

interface NodeUrls {
  BASE_RPC_URLS: readonly string[];
  SOLANA_RPC_URLS: readonly string[];
}

/** What is wrong, with what to write; http to this machine itself is allowed. */
export function findPlainUrls({ PUBLIC_URL, BASE_RPC_URLS, SOLANA_RPC_URLS }: NodeUrls & { PUBLIC_URL?: string | undefined }): string[] {
  const problems = PUBLIC_URL !== undefined && isPlain(PUBLIC_URL) ? ["PUBLIC_URL: begin it with https:// in live mode"] : [];
  for (const [name, urls] of Object.entries({ BASE_RPC_URLS, SOLANA_RPC_URLS })) {
    if (urls.some(isPlain)) problems.push(`${name}: begin each node with https:// in live mode, or run it on this machine`);
  }
  return problems;
}

/** Chains with fewer than two nodes, or two at one host, unless the operator accepts a single node's word. A chain without nodes is not used. */
export function findSingleNodes({ SINGLE_NODE, ...urls }: NodeUrls & { SINGLE_NODE?: "refuse" | "accept" | undefined }): string[] {
  if (SINGLE_NODE === "accept") return [];
  const { BASE_RPC_URLS, SOLANA_RPC_URLS } = urls;
  return Object.entries({ BASE_RPC_URLS, SOLANA_RPC_URLS })
    .filter(([, nodes]) => nodes.length === 1 || new Set(nodes.map((node) => new URL(node).hostname)).size < nodes.length)
    .map(
      ([name]) =>
        `${name}: list two or more nodes, each of another operator at a host of its own, since no operator alone must decide over sign-ins and money; or write SINGLE_NODE=accept to trust one`,
    );
}
