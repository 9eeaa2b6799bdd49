// The settings of Codex in one place: the page shows these texts.

import type { Site } from "@/app/site";

/** A provider's id in config.toml. */
const idOf = ({ name }: Site): string => name.toLowerCase().replace(/[^a-z0-9_-]+/g, "-");

/** ~/.codex/config.toml */
export const codexConfig = (site: Site, model: string): string => `model = "${model}"
model_provider = "${idOf(site)}"

[model_providers.${idOf(site)}]
name = "${site.name}"
base_url = "${site.baseUrl}/api/v1"
wire_api = "responses"
env_key = "${site.keyVariable}"`;

/** Another model for one run. */
export const codexOtherModel = (model: string): string => `codex --model ${model}`;
