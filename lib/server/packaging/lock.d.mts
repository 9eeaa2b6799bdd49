export interface LockedPackage {
  version: string;
  integrity: string;
  license?: string;
  dependencies?: Record<string, string>;
}

export interface Lockfile {
  lockfileVersion: number;
  requires: boolean;
  packages: Record<string, LockedPackage>;
}

export declare function packageOf(file: string): string | null;
export declare function lockOf(
  lockfile: Pick<Lockfile, "lockfileVersion" | "packages">,
  paths: readonly string[],
): { lock: Lockfile; manifest: Record<string, string> };
