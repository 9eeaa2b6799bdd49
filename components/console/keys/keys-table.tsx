import type { OwnKey } from "@/lib/console/views/keys";
import { placesOf } from "../../ui/amount";
import type { KeyActions, ModelChoice } from "./key-actions";
import { KeyRow } from "./key-row";

interface KeysTableProps {
  keys: readonly OwnKey[];
  models: readonly ModelChoice[];
  actions: KeyActions;
  /** Keys can only be paused and revoked. */
  frozen: boolean;
  /** The server's clock, Unix milliseconds. */
  nowMs: number;
}

export function KeysTable({ keys, models, actions, frozen, nowMs }: KeysTableProps) {
  const places = placesOf(keys.map(({ spent }) => spent));
  return (
    <table className="w-full">
      <caption className="sr-only">API keys</caption>
      <thead className="max-md:sr-only">
        <tr className="border-b border-edge text-left text-xs text-muted [&>th]:py-2 [&>th]:font-medium">
          <th scope="col" className="pr-4">
            Name
          </th>
          <th scope="col" className="pr-4">
            Key
          </th>
          <th scope="col" className="pr-4">
            State
          </th>
          <th scope="col" className="pr-8 text-right">
            Spent
          </th>
          <th scope="col" className="pr-4">
            Last used
          </th>
          <th scope="col" className="pr-4">
            Created
          </th>
          <th scope="col">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((item) => (
          <KeyRow key={item.keyId} item={item} places={places} models={models} actions={actions} frozen={frozen} nowMs={nowMs} />
        ))}
      </tbody>
    </table>
  );
}
