"use client";

import { Filter, FilterChoice } from "../filter";
import { activityHref } from "./activity-address";

interface ActivityFilterProps {
  group: string | null;
  choices: readonly { value: string; text: string }[];
}

/** Narrows the list to one kind of thing. */
export const ActivityFilter = ({ group, choices }: ActivityFilterProps) => (
  <Filter>
    {(go) => (
      <FilterChoice
        label="About"
        all="Everything"
        value={group}
        choices={choices}
        onChange={(wanted) => go(activityHref({ group: wanted, before: null }, {}))}
        className="w-56"
      />
    )}
  </Filter>
);
