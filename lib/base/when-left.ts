// The ends of a stream whose client leaves early, and the sentence for each, written once: at the playground's Stop button, in receipts, in
// the docs and in the API's reference. Decision 0055 says why. Runs in a browser too.

/** cut: the provider stops, too; drained: the stream is read on to its end, and charged by the provider's count. */
export const whenLeftNames = ["cut", "drained"] as const;
export type WhenLeft = (typeof whenLeftNames)[number];

/** True before the stop and after it. */
export const whenLeftText: Readonly<Record<WhenLeft, string>> = {
  cut: "If you stop, the provider stops too, and you pay for the input and the output generated until then.",
  drained: "If you stop, the provider still generates the whole answer, and you pay for all of it.",
};
