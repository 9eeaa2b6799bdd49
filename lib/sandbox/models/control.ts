// The control endpoint: rules that set the behaviour of the next calls, and the call log. Only matching calls use up a rule, so concurrent
// calls never get each other's behaviour.

import { z } from "zod/mini";
import type { VendorId } from "@/lib/providers/types";
import { type Behaviour, readDirectives } from "./behaviour";
import type { CallLog } from "./call-log";

const ruleBody = z.strictObject({
  /** Directives as in a prompt, without the brackets. */
  simulate: z.string(),
  /** The number of matching calls it applies to. */
  times: z._default(z.int().check(z.minimum(1)), 1),
  provider: z.optional(z.enum(["openai", "anthropic", "gemini", "xai", "deepseek"])),
  model: z.optional(z.string()),
  /** A part of the last user message. */
  promptIncludes: z.optional(z.string()),
});

/** The body of `POST /control`. */
export type ControlRule = z.input<typeof ruleBody>;

interface Rule extends z.output<typeof ruleBody> {
  behaviour: Behaviour;
}

export interface Control {
  /** Uses the oldest matching rule once; an empty behaviour when none matches. */
  takeBehaviour(call: { provider: VendorId; model: string; question: string }): Behaviour;
  /** Answers a request to `/control…`; `body` is its text. */
  answer(method: string, path: string, body: string): { status: number; body: object };
}

export function createControl(log: CallLog): Control {
  let rules: Rule[] = [];

  return {
    takeBehaviour(call) {
      const rule = rules.find((candidate) => matches(candidate, call));
      if (rule === undefined) return {};
      rule.times--;
      if (rule.times === 0) rules = rules.filter((other) => other !== rule);
      return rule.behaviour;
    },
    answer(method, path, body) {
      if (path === "/control/calls" && method === "GET") return { status: 200, body: log.read() };
      if (path === "/control" && method === "POST") {
        const rule = readRule(body);
        if ("problem" in rule) return { status: 400, body: { error: rule.problem } };
        rules.push(rule);
        return { status: 200, body: { rules: rules.length } };
      }
      if (path === "/control" && method === "DELETE") {
        rules = [];
        log.clear();
        return { status: 200, body: { rules: 0 } };
      }
      return { status: 404, body: { error: "There are POST /control, DELETE /control and GET /control/calls." } };
    },
  };
}

function readRule(text: string): Rule | { problem: string } {
  const parsed = ruleBody.safeParse(parseJson(text));
  if (!parsed.success) return { problem: z.prettifyError(parsed.error) };
  const { behaviour, problems } = readDirectives(parsed.data.simulate);
  return problems.length > 0 ? { problem: problems.join("; ") } : { ...parsed.data, behaviour };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: schema validation reports it
  }
}

function matches(rule: Rule, call: { provider: VendorId; model: string; question: string }): boolean {
  return (
    (rule.provider === undefined || rule.provider === call.provider) &&
    (rule.model === undefined || rule.model === call.model) &&
    (rule.promptIncludes === undefined || call.question.includes(rule.promptIncludes))
  );
}
