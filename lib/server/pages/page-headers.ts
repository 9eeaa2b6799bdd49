// Security headers of every page.

/** The hosts that WalletConnect needs from the browser, where the operator registered the service with it. */
const walletConnectHosts =
  "https://*.walletconnect.org https://*.walletconnect.com wss://relay.walletconnect.org wss://relay.walletconnect.com";

/** Which inline scripts of a page may run: those with its nonce, or those with these hashes. */
type Inline = { nonce: string } | { hashes: readonly string[] };

interface PolicyOptions {
  dev: boolean;
  /** True when WALLETCONNECT_PROJECT_ID is set. */
  withWalletConnect: boolean;
}

/**
 * Scripts run only with this answer's nonce, or are our own files or inline ones with these hashes; nothing is loaded from or sent to another
 * host; the page cannot be framed.
 */
export function contentSecurityPolicy(inline: Inline, { dev, withWalletConnect }: PolicyOptions): string {
  const scripts = "nonce" in inline ? `'nonce-${inline.nonce}' 'strict-dynamic'` : inline.hashes.join(" ");
  const directives = [
    "default-src 'self'",
    // React's development build evaluates text to show where an error came from.
    `script-src 'self' ${scripts}${dev ? " 'unsafe-eval'" : ""}`,
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob:${withWalletConnect ? " https://*.walletconnect.com" : ""}`,
    "font-src 'self'",
    `connect-src 'self'${withWalletConnect ? ` ${walletConnectHosts}` : ""}`,
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return directives.join("; ");
}

/** Headers that are the same on every page; HSTS only where the service is reached by https. */
export function fixedHeaders(publicUrl: string | undefined): [name: string, value: string][] {
  const headers: [string, string][] = [
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "strict-origin-when-cross-origin"],
    ["x-frame-options", "DENY"],
    ["permissions-policy", "camera=(), microphone=(), geolocation=(), payment=()"],
  ];
  if (publicUrl?.startsWith("https:")) headers.push(["strict-transport-security", "max-age=31536000"]);
  return headers;
}
