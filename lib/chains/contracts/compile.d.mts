// What compile.mjs gives to tests.

/** SHA-256 of a source, by the name that the compiler knows it by. */
export function hashOfSource(name: string): string;

/** Compiles every contract of this folder and of testing/: artifacts by path. */
export function compileContracts(): Promise<Record<string, object>>;
