// What compile.mjs gives to tests.

/** SHA-256 of a source, by the name that the compiler knows it by. */
export function hashOfSource(name: string): string;

/** Compiles every contract of this folder: artifacts by file name. */
export function compileContracts(): Promise<Record<string, object>>;
