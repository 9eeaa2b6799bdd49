// Text from outside, read only up to a limit: what its sender announces is not trusted.

/**
 * The text of these bytes, or null as soon as there are more than `mostBytes`; reading ends there.
 * @throws TypeError when the bytes are no UTF-8; and any error of `chunks`
 */
export async function readBoundedText(chunks: AsyncIterable<Uint8Array>, mostBytes: number): Promise<string | null> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > mostBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
