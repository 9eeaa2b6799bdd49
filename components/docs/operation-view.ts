import type { Field } from "./field-list";
import type { TryItForm } from "./try-it/try-it-form";

/** An operation of the API, as its page shows it. */
export interface OperationView {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  needsKey: boolean;
  parameters: readonly Field[];
  body: readonly Field[];
  /** The description of a 200; its fields follow. */
  answerAbout: string;
  answer: readonly Field[];
  errors: readonly { code: string; status: number; title: string }[];
  /** At least one. */
  requests: readonly { label: string; curl: string }[];
  /** Indented JSON. */
  answers: readonly { label: string; json: string }[];
  /** Streams, where there are some. */
  events: readonly { label: string; text: string }[];
  /** Null for an operation that a wallet pays for. */
  tryIt: TryItForm | null;
}
