import type { Site } from "@/app/site";
import type { ModelPrice } from "@/lib/console/views/models";

/** What every chapter of the docs gets. */
export interface ChapterProps {
  site: Site;
  /** The model that examples call. */
  model: ModelPrice;
}
