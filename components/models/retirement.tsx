import Link from "next/link";
import type { ModelPrice } from "@/lib/console/views/models";
import { modelHref } from "./model-row";

/** When a model retires, and what to use instead; nothing without a date. */
export function RetirementNotice({ model: { retiresOn, successor } }: { model: ModelPrice }) {
  if (!retiresOn) return null;
  return (
    <p className="mt-5 rounded border border-amber-edge bg-amber-wash px-4 py-3 text-sm text-amber-ink">
      Retires on {retiresOn}
      {successor ? (
        <>
          ; use{" "}
          <Link href={modelHref(successor)} className="font-mono underline underline-offset-4">
            {successor}
          </Link>{" "}
          instead
        </>
      ) : null}
      . From that day on it is refused.
    </p>
  );
}
