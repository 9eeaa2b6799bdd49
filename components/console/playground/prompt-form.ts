// The form as text fields, and the prompt that it describes.

import { countText } from "@/components/ui/text/number-text";
import type { PromptFields } from "./code-lines";

export interface PromptForm {
  model: string;
  system: string;
  prompt: string;
  /** As typed; empty = the model's own. */
  maxTokens: string;
  temperature: string;
}

export type FormProblems = Partial<Record<keyof PromptForm, string>>;

/** The form's prompt, or its problems. An empty prompt is not a problem: it is only not written yet. */
export function readPromptForm(form: PromptForm, maxOutputTokens: number): { fields: PromptFields; problems: FormProblems } {
  const maxTokens = form.maxTokens.trim() === "" ? undefined : Number(form.maxTokens);
  const temperature = form.temperature.trim() === "" ? undefined : Number(form.temperature);
  const problems: FormProblems = {};
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens >= 1 && maxTokens <= maxOutputTokens)) {
    problems.maxTokens = `Enter a whole number from 1 to ${countText(maxOutputTokens)}.`;
  }
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 2)) problems.temperature = "Enter a number from 0 to 2.";
  return {
    fields: { model: form.model, system: form.system === "" ? undefined : form.system, prompt: form.prompt, maxTokens, temperature },
    problems,
  };
}

export const isSendable = (fields: PromptFields, problems: FormProblems): boolean =>
  fields.prompt !== "" && Object.keys(problems).length === 0;
