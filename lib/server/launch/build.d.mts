// The types of build.mjs, which runs before anything is compiled.

/** Bundles the server into `outdir`, which must lie within the project and is emptied first. */
export function bundleServer(root: string, options?: { outdir?: string; main?: string; packagesInside?: boolean }): Promise<void>;
