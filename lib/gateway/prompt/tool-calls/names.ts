// How a request's tools are called inside a call of a model, and what the client calls them. Tools inside a namespace (as Codex sends those of
// MCP servers) become plain functions whose names hold both; a call of one leaves with its namespace again, since clients do not split names.

import { createHash } from "node:crypto";

/** A tool as the client names it; `search` is the tool search that a client runs itself. */
export interface ClientTool {
  kind: "function" | "custom" | "search";
  name: string;
  namespace?: string | undefined;
}

/** The namespace in which OpenAI's models see tools that have none; Codex sends all of its own in it for some models. */
const DEFAULT_NAMESPACE = "functions";
/** OpenAI's own limit for a function, and the lowest of all providers. */
const MAX_NAME_LENGTH = 64;
const HASH_LENGTH = 8;

export class ToolNames {
  readonly #clientTools = new Map<string, ClientTool>();
  readonly #names = new Map<string, string>();

  /** The name inside a call: the same for each tool of the request, and never another tool's. */
  add(tool: ClientTool): string {
    const known = this.#names.get(identityOf(tool));
    if (known !== undefined) return known;
    const name = this.nameOf(tool);
    this.#names.set(identityOf(tool), name);
    this.#clientTools.set(name, { ...tool, namespace: namespaceOf(tool) || undefined });
    return name;
  }

  has(tool: ClientTool): boolean {
    return this.#names.has(identityOf(tool));
  }

  /** Also for a tool that is no longer among the request's: a call of it may stand in the conversation. */
  nameOf(tool: ClientTool): string {
    const known = this.#names.get(identityOf(tool));
    if (known !== undefined) return known;
    const whole = wholeName(tool);
    const name = whole.replace(/[^a-zA-Z0-9_-]/g, "_");
    if (name === whole && name.length <= MAX_NAME_LENGTH && !this.#clientTools.has(name)) return name;
    const hash = createHash("sha256").update(identityOf(tool)).digest("hex").slice(0, HASH_LENGTH);
    return `${name.slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}_${hash}`;
  }

  /** A model may call a tool that does not exist; its name stays as it wrote it. */
  clientTool(name: string): ClientTool {
    return this.#clientTools.get(name) ?? { kind: "function", name };
  }
}

const namespaceOf = ({ namespace }: ClientTool): string => (namespace === DEFAULT_NAMESPACE ? "" : (namespace ?? ""));

const identityOf = (tool: ClientTool): string => JSON.stringify([tool.kind === "search", namespaceOf(tool), tool.name]);

/** The form in which OpenAI's models know such names. */
function wholeName(tool: ClientTool): string {
  const namespace = namespaceOf(tool);
  if (namespace === "") return tool.name;
  return namespace.endsWith("_") || tool.name.startsWith("_") ? `${namespace}${tool.name}` : `${namespace}__${tool.name}`;
}
