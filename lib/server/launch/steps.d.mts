// The types of steps.mjs, which runs before anything is compiled.

export interface Step {
  done: () => void;
  fail: () => void;
  drop: () => void;
}
export function startStep(name: string, detail?: string): Step;
export function runStep<Result>(name: string, work: () => Promise<Result>, detail?: string): Promise<Result>;
