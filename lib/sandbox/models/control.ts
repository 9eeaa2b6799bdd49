// The control endpoint: rules that set the behaviour of the next calls, and the call log. Only matching calls use up a rule, so concurrent
// calls never get each other's behaviour.

import type { VendorId } from "@/lib/providers/model-route";
import { type Behaviour, readDirectives } from "./behaviour";
import type { CallLog } from "./call-log";

/** The body of `POST /control`. */
export interface ControlRule {
  /** Directives as in a prompt, without the brackets. */
  simulate: string;
  /** The number of matching calls it applies to; one by default. */
  times?: number;
  provider?: VendorId;
  model?: string;
  /** A part of the last user message. */
  promptIncludes?: string;
}

interface Rule extends ControlRule {
  times: number;
  behaviour: Behaviour;
}

interface AskedCall {
  provider: VendorId;
  model: string;
  question: string;
}

export class Control {
  #rules: Rule[] = [];

  constructor(private readonly log: CallLog) {}

  /** Uses the oldest matching rule once; an empty behaviour when none matches. */
  takeBehaviour(call: AskedCall): Behaviour {
    const rule = this.#rules.find((candidate) => matches(candidate, call));
    if (rule === undefined) return {};
    rule.times--;
    if (rule.times === 0) this.#rules = this.#rules.filter((other) => other !== rule);
    return rule.behaviour;
  }

  /** Answers a request to `/control…`; `body` is its text. */
  answer(method: string, path: string, body: string): { status: number; body: object } {
    if (path === "/control/calls" && method === "GET") return { status: 200, body: this.log.read() };
    if (path === "/control" && method === "POST") {
      const given = JSON.parse(body) as ControlRule;
      const { behaviour, problems } = readDirectives(given.simulate);
      if (problems.length > 0) return { status: 400, body: { error: problems.join("; ") } };
      this.#rules.push({ times: 1, ...given, behaviour });
      return { status: 200, body: { rules: this.#rules.length } };
    }
    if (path === "/control" && method === "DELETE") {
      this.#rules = [];
      this.log.clear();
      return { status: 200, body: { rules: 0 } };
    }
    return { status: 404, body: { error: "There are POST /control, DELETE /control and GET /control/calls." } };
  }
}

const matches = (rule: Rule, call: AskedCall): boolean =>
  (rule.provider === undefined || rule.provider === call.provider) &&
  (rule.model === undefined || rule.model === call.model) &&
  (rule.promptIncludes === undefined || call.question.includes(rule.promptIncludes));
