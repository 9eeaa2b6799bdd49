// Stands in for @prisma/studio-core, which Prisma's own command names and `prisma generate` never loads (lib/stubs/README.md).
export {};
