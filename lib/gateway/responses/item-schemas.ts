// The items of a response's input, as the document shows them and as they are parsed.

import { z } from "zod";
import { reasoningEffort } from "../http/dialect-fields";
import { textFormat } from "./text-format";

const inputText = z.object({ type: z.enum(["input_text", "text"]), text: z.string() });
const outputText = z.object({ type: z.enum(["output_text", "input_text", "text"]), text: z.string() });
const refusal = z.object({ type: z.literal("refusal"), refusal: z.string() });
const inputImage = z.object({
  type: z.literal("input_image"),
  image_url: z.string("is required: a data URL or an https URL. Uploaded files are not supported"),
  detail: z.enum(["auto", "low", "high", "original"]).nullish(),
});
const media = z.object({ type: z.enum(["input_file", "input_audio"]) });

export const inputContent = z.union(
  [z.string(), z.array(z.discriminatedUnion("type", [inputText, inputImage, media]))],
  "must be a string or an array of input_text and input_image parts",
);
export const outputContent = z.union(
  [z.string(), z.array(z.discriminatedUnion("type", [outputText, refusal]))],
  "must be a string or an array of output_text and refusal parts",
);
const encryptedText = z
  .object({ type: z.literal("encrypted_content") })
  .refine(() => false, "can be read by OpenAI only: send the words as input_text");
const callId = z.string().min(1, "must not be empty");
const toolName = z.string().min(1, "must not be empty");
const namespace = z.string().nullish();
/** Read with the request's own tools. */
const tools = z.array(z.unknown());
/** A message of one Codex agent to another; Codex writes its sender into the text. */
const agentContent = z.array(z.discriminatedUnion("type", [inputText, encryptedText], "must be an array of input_text parts"));

const asked = z.object({ type: z.literal("message"), role: z.enum(["user", "system", "developer"]), content: inputContent });
const answered = z.object({
  type: z.literal("message"),
  role: z.literal("assistant"),
  content: outputContent,
  phase: z.enum(["commentary", "final_answer"]).nullish(),
});

/** The items of the input, as the document shows them. */
export const inputItem = z.discriminatedUnion("type", [
  z.discriminatedUnion("role", [asked, answered], "must be user, assistant, system or developer"),
  z.object({ type: z.literal("function_call"), call_id: callId, name: toolName, namespace, arguments: z.string() }),
  z.object({ type: z.literal("function_call_output"), call_id: callId, output: inputContent }),
  z.object({ type: z.literal("custom_tool_call"), call_id: callId, name: toolName, namespace, input: z.string() }),
  z.object({ type: z.literal("custom_tool_call_output"), call_id: callId, output: inputContent }),
  z.object({ type: z.literal("tool_search_call"), execution: z.literal("client"), call_id: callId, arguments: z.unknown() }),
  z.object({ type: z.literal("tool_search_output"), execution: z.literal("client"), call_id: callId, tools }),
  z.object({ type: z.literal("agent_message"), content: agentContent }),
  z.object({ type: z.literal("additional_tools"), role: z.literal("developer"), tools }),
  // `compaction_summary` is its older name, which Codex reads, too.
  z.object({ type: z.enum(["compaction", "compaction_summary"]), encrypted_content: z.string() }),
  z.object({ type: z.literal("compaction_trigger") }),
  // Codex's way to change the effort within a conversation; it lasts until the next one.
  z.object({
    type: z.literal("configuration_update"),
    reasoning: z.object({ effort: reasoningEffort.nullish() }).nullish(),
    text: z.object({ format: textFormat }).nullish(),
  }),
  z.object({
    type: z.literal("reasoning"),
    id: z.string().nullish(),
    summary: z.array(z.object({ text: z.string() })).nullish(),
    encrypted_content: z.string().nullish(),
  }),
]);

export type InputItem = z.infer<typeof inputItem>;
