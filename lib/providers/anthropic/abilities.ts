// What a Claude model takes, told by its name alone: the rules of Anthropic's migration guides, so that models of the
// operator's own configuration follow them too. A name that is no Claude's takes what the oldest models take.

/** Temperature and top_p: from Claude Opus 4.7 on, either is answered with 400 (.../about-claude/models/migration-guide). */
export function takesSampling(wireName: string): boolean {
  return (readVersion(wireName)?.version ?? 0) < 407;
}

/**
 * `output_config.format`, generally available without a beta header from Claude 4.5 on:
 * https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs
 */
export function takesOutputFormat(wireName: string): boolean {
  return (readVersion(wireName)?.version ?? 0) >= 405;
}

// "Forced tool use returns an error": What's new in Claude Opus 5.5 and in Claude Sonnet 5.5. Claude Haiku 5.5 still takes it.
const firstWithoutForcedTools = new Map([
  ["opus", 505],
  ["sonnet", 505],
  ["fable", 501],
  ["mythos", 501],
]);

/** A tool_choice of `any` or `tool`. */
export function takesForcedTools(wireName: string): boolean {
  const model = readVersion(wireName);
  return model === undefined || model.version < (firstWithoutForcedTools.get(model.family) ?? Number.POSITIVE_INFINITY);
}

/** claude-opus-4-7 is opus and 407; undefined before Claude 4, whose names have another form, and for other models. */
function readVersion(wireName: string): { family: string; version: number } | undefined {
  const match = /claude-([a-z]+)-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(wireName);
  if (match === null) return undefined;
  const [, family = "", major, minor = "0"] = match;
  return { family, version: Number(major) * 100 + Number(minor) };
}
