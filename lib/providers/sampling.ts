// Numbers that shape how an answer is drawn, as chat completions have them. All that differs from one to the next stands in its row here: the
// body of POST /api/v1/chat/completions and its description, the options of a call, and what OpenAI and compatible servers are sent.

import type { ChatDialect } from "./provider-entry";

interface SamplingRow {
  /** Its name in chat completions. */
  field: string;
  least: number;
  most: number;
  /** The flag of a server's dialect that lets the option be sent. */
  takenWith: { [Flag in keyof ChatDialect]: ChatDialect[Flag] extends boolean ? Flag : never }[keyof ChatDialect];
  /** Its sentence in the API's document. */
  note: string;
}

const samplingRows = {
  temperature: {
    field: "temperature",
    least: 0,
    most: 2,
    takenWith: "sampling",
    note: "Sampling temperature. Default: the provider's own.",
  },
  topP: {
    field: "top_p",
    least: 0,
    most: 1,
    takenWith: "sampling",
    note: "Nucleus sampling: only the most likely tokens whose probabilities add up to this value.",
  },
  frequencyPenalty: {
    field: "frequency_penalty",
    least: -2,
    most: 2,
    takenWith: "penalties",
    note: "Above 0, frequent tokens become less likely.",
  },
  presencePenalty: {
    field: "presence_penalty",
    least: -2,
    most: 2,
    takenWith: "penalties",
    note: "Above 0, tokens already used become less likely.",
  },
} as const satisfies Record<string, SamplingRow>;

type Rows = typeof samplingRows;
type Option = keyof Rows;
export type SamplingField = Rows[Option]["field"];
export type SamplingOptions = { [Name in Option]?: number | undefined };

/** Every option with its row. */
export const samplingOptions = Object.entries(samplingRows) as [Option, Rows[Option]][];
