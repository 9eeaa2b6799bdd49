import type { Site } from "@/app/site";
import type { ModelPrice } from "@/lib/console/views/models";

/** The props of every chapter of the docs. */
export interface ChapterProps {
  site: Site;
  /** The model used in examples. */
  model: ModelPrice;
}
