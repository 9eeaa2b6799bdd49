// The exports of compile.mjs that tests use.

/** SHA-256 of a source, by its name in the compiler's input. */
export function hashOfSource(name: string): string;

/** Compiles every contract of this folder and of testing/: artifacts by path. */
export function compileContracts(): Promise<Record<string, object>>;
