// The name that somebody meant who wrote another.

/** The known name with the smallest difference, if it is small: `max_tokens` finds `maxTokens`. */
export function nearestName(name: string, known: readonly string[], most = Math.max(2, Math.floor(name.length / 3))): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  let best: string | undefined;
  let bestDistance = most + 1;
  for (const candidate of known) {
    const distance = editDistance(plain(name), plain(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/**
 * The model that was meant: whatever stands before it (`openai/gpt-4o`), however its name is divided (`gpt4o`). A sign more or less in a short
 * name is another model.
 */
export function nearestModel(name: string, known: readonly string[]): string | undefined {
  const shown = name.slice(0, 100);
  const own = shown.slice(shown.lastIndexOf("/") + 1);
  return nearestName(own, known, Math.max(1, Math.floor(own.length / 5)));
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
