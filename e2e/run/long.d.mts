export const longFolders: Record<string, string[]>;
