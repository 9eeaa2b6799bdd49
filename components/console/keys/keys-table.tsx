import { placesOf } from "@/components/ui/text/amount";
import { TimeAgo } from "@/components/ui/text/time-ago";
import { dayText, momentText } from "@/components/ui/text/time-text";
import type { OwnKey } from "@/lib/console/views/keys";
import { type Column, DataTable } from "../../ui/data-table";
import type { KeyActions, ModelChoice } from "./key-actions";
import { KeyCell, KeyName, KeyState } from "./key-cells";
import { KeyMenu } from "./key-menu";
import { KeySpent } from "./key-spent";

interface KeysTableProps {
  keys: readonly OwnKey[];
  models: readonly ModelChoice[];
  actions: KeyActions;
  /** Keys can only be paused and revoked. */
  frozen: boolean;
  /** The server's clock, Unix milliseconds. */
  nowMs: number;
}

/** The unrevoked keys: one row each on a desktop, two lines on a phone. */
export const KeysTable = ({ keys, ...rest }: KeysTableProps) => (
  <DataTable
    caption="API keys"
    headClassName="max-md:sr-only"
    rowClassName="align-top"
    cellClassName=""
    columns={columnsOf({ ...rest, places: placesOf(keys.map(({ spent }) => spent)) })}
    rows={keys}
    idOf={({ keyId }) => keyId}
  />
);

const columnsOf = ({ models, actions, frozen, nowMs, places }: Omit<KeysTableProps, "keys"> & { places: number }): Column<OwnKey>[] => [
  {
    id: "name",
    heading: "Name",
    className: "pr-4 text-left",
    cellClassName: "max-w-0 py-3 font-normal max-md:w-full md:w-[30%]",
    cell: (item) => <KeyCell item={item} nowMs={nowMs} />,
  },
  { id: "key", heading: "Key", ...deskOnly, cell: (item) => <KeyName item={item} /> },
  { id: "state", heading: "State", ...deskOnly, cell: (item) => <KeyState item={item} /> },
  {
    id: "spent",
    heading: "Spent",
    className: "text-right md:pr-8",
    cellClassName: "py-3 font-mono",
    cell: (item) => <KeySpent item={item} places={places} />,
  },
  {
    id: "last used",
    heading: "Last used",
    ...deskOnly,
    cell: ({ lastUsedAt }) => (lastUsedAt ? <TimeAgo at={lastUsedAt} nowMs={nowMs} /> : <span className="text-faint">never</span>),
  },
  {
    id: "created",
    heading: "Created",
    className: "text-left",
    headingClassName: "pr-4",
    cellClassName: "py-3 pr-2 whitespace-nowrap text-muted max-md:hidden",
    cell: ({ createdAt }) => (
      <time dateTime={createdAt.toISOString()} title={momentText(createdAt)}>
        {dayText(createdAt)}
      </time>
    ),
  },
  {
    id: "actions",
    heading: <span className="sr-only">Actions</span>,
    cellClassName: "w-8 py-1.5 pl-1",
    cell: (item) => <KeyMenu item={item} models={models} actions={actions} frozen={frozen} />,
  },
];

/** On a phone the name's cell contains it. */
const deskOnly = { className: "pr-4 text-left", cellClassName: "py-3 max-md:hidden" };
