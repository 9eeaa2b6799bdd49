import { Badge } from "../../ui/badge";
import { isRunning, type Run } from "./run";

const stateNames: Record<Run["state"], string> = {
  waiting: "Waiting",
  writing: "Streaming",
  done: "Done",
  stopped: "Stopped",
  failed: "Failed",
};

/** The state of a run that is not simply done. */
export function RunState({ run }: { run: Run }) {
  if (run.state === "done") return null;
  return <Badge tone={isRunning(run) ? "waiting" : run.state === "failed" ? "bad" : "plain"}>{stateNames[run.state]}</Badge>;
}
