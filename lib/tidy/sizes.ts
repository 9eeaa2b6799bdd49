// Sizes that linters do not know, and the limits of those that Biome knows.

import { MAX_COMPONENT_LINES, MAX_FILE_LINES, MAX_FILES_IN_FOLDER, MAX_FUNCTION_LINES } from "./limits";
import { isProductCode, type Rule } from "./tree";

/** Files directly in a folder; files in its subfolders do not count. */
export const folderSize: Rule = (tree) => {
  const folders = new Map<string, number>();
  for (const path of [...tree.keys()].filter(isProductCode)) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return [...folders]
    .filter(([, files]) => files > MAX_FILES_IN_FOLDER)
    .map(([folder, files]) => ({
      file: folder,
      message: `holds ${files} files, more than ${MAX_FILES_IN_FOLDER}: give those of one noun a folder.`,
    }));
};

/** Written by a program, and read a declaration at a time. */
const generated = new Set(["lib/client/api-types.ts"]);

/** All lines count: Biome leaves comments out. */
export const fileSize: Rule = (tree) =>
  [...tree]
    .filter(([path]) => isProductCode(path) && !generated.has(path))
    .map(([file, text]) => ({ file, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > MAX_FILE_LINES)
    .map(({ file, lines }) => ({ file, message: `has ${lines} lines, more than ${MAX_FILE_LINES}: give a part of it a file of its own.` }));

/** biome.json can import nothing: its `maxLines`, in order, are those of limits.ts. */
export const biomeHasOurLimits: Rule = (tree) => {
  const found = [...(tree.get("biome.json") ?? "").matchAll(/"maxLines": (\d+)/g)].map(([, lines]) => Number(lines));
  const ours = [MAX_FUNCTION_LINES, MAX_FILE_LINES, MAX_COMPONENT_LINES];
  if (found.join() === ours.join()) return [];
  return [
    { file: "biome.json", message: `limits lines to ${found.join(", ")}: write ${ours.join(", ")}, as lib/tidy/limits.ts has them.` },
  ];
};
