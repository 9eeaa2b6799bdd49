// The examples of Codex's page.

import type { Site } from "@/app/site";
import { newestOf } from "../claude-code/examples";

/** The model of the list to show, if there is one of OpenAI's that Codex knows: the newest. */
export const codexModel = (ids: readonly string[]): string | undefined => newestOf(ids.filter((id) => /^gpt-\d.*-sol$/.test(id)));

/** A provider's id in config.toml. */
const idOf = ({ name }: Site): string => name.toLowerCase().replace(/[^a-z0-9_-]+/g, "-");

/** ~/.codex/config.toml */
export const codexConfig = (site: Site, model: string): string => `model = "${model}"
model_provider = "${idOf(site)}"

[model_providers.${idOf(site)}]
name = "${site.name}"
base_url = "${site.baseUrl}/api/v1"
wire_api = "responses"
supports_websockets = false
env_key = "${site.keyVariable}"`;
