// Only the tidy rules, for `npm run check`: without the database that the other tests share.

import { defineConfig } from "vitest/config";

const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

export default defineConfig({ root, resolve: { alias: { "@": root } }, test: { include: ["lib/tidy.test.ts"], testTimeout: 60_000 } });
