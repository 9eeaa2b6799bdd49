// For Prisma's own command line, which can take over the migrations at any time: `npx prisma migrate status` and the like.
// The service itself needs none of it to start.

import { defineConfig } from "prisma/config";

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  datasource: { url: process.env.DATABASE_URL ?? "" },
});
