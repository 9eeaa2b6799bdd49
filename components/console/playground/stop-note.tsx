import { whenLeftText } from "@/lib/base/when-left";
import type { Run } from "./run";

/** The effect of stopping a run on its cost, at the button and after it; nothing until that is known. */
export const StopNote = ({ run, id, className = "" }: { run: Run | undefined; id?: string; className?: string }) =>
  run?.whenLeft ? (
    <p id={id} className={`text-xs text-pretty text-muted ${className}`}>
      {whenLeftText[run.whenLeft]}
    </p>
  ) : null;
