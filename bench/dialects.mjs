// The dialects side by side: the same question in each one's own form, at the same model, over a thousand wallets. The provider's part is
// the same for all of them, so a ratio shows what reading and writing a dialect costs. Beside them the share that the normaliser of
// conversations has in a request's CPU: too small to be seen between two loads.

import { checkLedger } from "./books.mjs";
import { median } from "./figures.mjs";
import { CROWD, contest } from "./load.mjs";
import { proveAnswer } from "./models.mjs";
import { runProgram, startService } from "./service.mjs";

const model = "gpt-4-turbo";
const content = "What is a nano-dollar, and why would anyone count in it?";
const messages = [{ role: "user", content }];

/** Each with the output limit that `/prompt` has by itself. */
const dialects = {
  prompt: { path: "/api/v1/prompt", body: { model, prompt: content } },
  chat: { path: "/api/v1/chat/completions", body: { model, messages, max_completion_tokens: 1_024 } },
  messages: { path: "/api/v1/messages", body: { model, messages, max_tokens: 1_024 } },
  responses: { path: "/api/v1/responses", body: { model, input: content, max_output_tokens: 1_024 } },
};

export async function benchDialects(bench) {
  const ours = await startService(bench);
  const contestants = Object.entries(dialects).map(([name, { path, body }]) => {
    return { ...ours.wallets, name, plan: { ...ours.wallets.plan, path, body: JSON.stringify(body) } };
  });
  for (const one of contestants) await proveAnswer(one);
  const rounds = await contest(bench, { "64 connections": { connections: CROWD, contestants } });
  checkLedger(ours);
  const ratio = (name) => median(rounds.map(({ "64 connections": lane }) => lane[name].perSecond / lane.prompt.perSecond));
  const figures = { chat_vs_prompt: ratio("chat"), messages_vs_prompt: ratio("messages"), responses_vs_prompt: ratio("responses") };
  const normaliser = await runProgram(bench, { name: "normalise" });
  const { question, session, messages, kilobytes } = normaliser;
  const us = (value) => `${value.toFixed(value < 10 ? 2 : 0)} µs`;
  bench.say(
    `normaliser: one message ${us(question.claude)} (Claude), ${us(question.gemini)} (Gemini); a session of ${messages} messages and ` +
      `${kilobytes.toFixed(0)} kB ${us(session.claude)}, ${us(session.gemini)}, its JSON ${us(session.json)}`,
  );
  const perRequest = median(rounds.map(({ "64 connections": lane }) => lane.chat.cpuMsPerRequest));
  figures.normaliser_share = Math.max(question.claude, question.gemini) / 1_000 / perRequest;
  return { figures, raw: { rounds, normaliser } };
}
