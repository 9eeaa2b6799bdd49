// The dialects side by side: the same question in each one's own form, at the same model, over a thousand wallets, in turn, round after
// round. The provider's part is the same for all of them, so a ratio shows what reading and writing a dialect costs.

import { join } from "node:path";
import { checkLedger, measureWithBooks } from "./books.mjs";
import { median } from "./figures.mjs";
import { renderPages, summarise } from "./gateway.mjs";
import { deleteSandbox, seedSandbox, startService } from "./service.mjs";
import { answerText } from "./upstream.mjs";

const CONNECTIONS = 64;

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

/** @returns figures, and the measurements behind them */
export async function benchDialects(room, { upstream, directory, cache, pace, say }) {
  const dataDir = join(cache, `dialects-${process.pid}`);
  room.onClose(() => deleteSandbox(dataDir));
  await seedSandbox(dataDir, { charges: 10, upstream, cache });
  const ours = await startService(room, { dataDir, upstream, directory });
  await renderPages(ours.origin);
  const contestants = Object.entries(dialects).map(([name, { path, body }]) => {
    return { ...ours.wallets, name, plan: { ...ours.wallets.plan, path, body: JSON.stringify(body) } };
  });
  for (const one of contestants) await proveAnswer(one);
  const take = (contestant, seconds, tries) =>
    measureWithBooks(contestant, { connections: CONNECTIONS, seconds, directory, upstream, tries, check: false });
  say("warming up");
  for (const one of contestants) await take(one, pace.warmUpSeconds, 1);
  const rounds = [];
  for (let number = 1; number <= pace.contest.rounds; number++) {
    const round = { crowd: {}, alone: {} };
    for (const one of contestants) {
      round.crowd[one.name] = await take(one, pace.contest.seconds, pace.tries);
      say(`round ${number}: ${one.name} ${Math.round(round.crowd[one.name].perSecond)}/s`);
    }
    checkLedger({ ...ours, name: `round ${number}` });
    rounds.push(round);
  }
  await ours.stop();
  const ratio = (name) => median(rounds.map(({ crowd }) => crowd[name].perSecond / crowd.prompt.perSecond));
  const figures = { chat_vs_prompt: ratio("chat"), messages_vs_prompt: ratio("messages"), responses_vs_prompt: ratio("responses") };
  return { figures, raw: { rounds, contestants: summarise(rounds) } };
}

async function proveAnswer({ name, origin, plan }) {
  const headers = { ...plan.headers, authorization: plan.authorizations[0] };
  const answer = await fetch(origin + plan.path, { method: "POST", headers, body: plan.body });
  const text = await answer.text();
  if (answer.status !== 200 || !text.includes(answerText))
    throw new Error(`${name} does not answer: ${answer.status} ${text.slice(0, 500)}`);
}
