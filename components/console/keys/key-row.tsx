import type { OwnKey } from "@/lib/console/views/keys";
import { TimeAgo } from "../../ui/time-ago";
import { dayText, momentText } from "../../ui/time-text";
import type { KeyActions, ModelChoice } from "./key-actions";
import { KeyMenu } from "./key-menu";
import { KeySpent } from "./key-spent";
import { KeyState } from "./key-state";

interface KeyRowProps {
  item: OwnKey;
  places: number;
  models: readonly ModelChoice[];
  actions: KeyActions;
  /** It can only be paused and revoked. */
  frozen: boolean;
  nowMs: number;
}

/** One key: a row on a desk, two lines on a phone. */
export function KeyRow({ item, places, models, actions, frozen, nowMs }: KeyRowProps) {
  const { name, createdAt, lastUsedAt } = item;
  const lastUsed = lastUsedAt ? <TimeAgo at={lastUsedAt} nowMs={nowMs} /> : <span className="text-faint">never</span>;
  return (
    <tr className="border-b border-line align-top text-sm">
      <th scope="row" className="max-w-0 py-3 pr-4 text-left font-normal max-md:w-full md:w-[30%]">
        <span className="flex items-center gap-2">
          <span className="truncate font-medium" title={name}>
            {name}
          </span>
          <span className="md:hidden">
            <KeyState item={item} />
          </span>
        </span>
        <span className="mt-1 flex flex-wrap gap-x-2 gap-y-0.5 text-xs text-muted md:hidden">
          <KeyName item={item} />
          <span>{lastUsedAt ? <>used {lastUsed}</> : "never used"}</span>
        </span>
        <Limits item={item} />
      </th>
      <td className="py-3 pr-4 max-md:hidden">
        <KeyName item={item} />
      </td>
      <td className="py-3 pr-4 max-md:hidden">
        <KeyState item={item} />
      </td>
      {/* On a phone there is no room for the zeros that only fill the column. */}
      <td className="py-3 text-right font-mono max-md:[&_.text-faint]:hidden md:pr-8">
        <KeySpent item={item} places={places} />
      </td>
      <td className="py-3 pr-4 max-md:hidden">{lastUsed}</td>
      <td className="py-3 pr-2 whitespace-nowrap text-muted max-md:hidden">
        <time dateTime={createdAt.toISOString()} title={momentText(createdAt)}>
          {dayText(createdAt)}
        </time>
      </td>
      <td className="w-8 py-1.5 pl-1">
        <KeyMenu item={item} models={models} actions={actions} frozen={frozen} />
      </td>
    </tr>
  );
}

/** What can be shown of a key: its ends. */
export const KeyName = ({ item: { prefix, last4 } }: { item: OwnKey }) => (
  <span className="font-mono whitespace-nowrap">
    {prefix}…{last4}
  </span>
);

/** What the key may do less than another. */
function Limits({ item: { models, expiresAt, state } }: { item: OwnKey }) {
  const ends = expiresAt ? `${state === "expired" ? "expired" : "expires"} ${dayText(expiresAt)}` : null;
  if (!models && !ends) return null;
  return (
    <span className="mt-1 block text-xs text-muted">
      {models ? <span title={models.join("\n")}>{models.length === 1 ? models[0] : `${models.length} models`}</span> : null}
      {models && ends ? " · " : null}
      {expiresAt ? (
        <time dateTime={expiresAt.toISOString()} title={momentText(expiresAt)}>
          {ends}
        </time>
      ) : null}
    </span>
  );
}
