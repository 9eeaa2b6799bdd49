import { WithCode } from "./code";

export interface Field {
  /** `cost.totalCost` */
  path: string;
  /** `integer, at least 1` */
  type: string;
  isRequired?: boolean;
  about: string;
}

/** Fields below each other: name and type, then the description. */
export function FieldList({ fields }: { fields: readonly Field[] }) {
  return (
    <dl className="border-t border-edge text-sm">
      {fields.map(({ path, type, isRequired, about }) => (
        <div key={path} className="border-b border-line py-2.5">
          <dt className="flex flex-wrap items-baseline gap-x-3">
            <code className="font-mono break-all">{path}</code>
            <span className="text-xs text-faint">{type}</span>
            {isRequired ? <span className="text-xs text-copper-ink">required</span> : null}
          </dt>
          <dd className="mt-0.5 text-muted">
            <WithCode text={about} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
