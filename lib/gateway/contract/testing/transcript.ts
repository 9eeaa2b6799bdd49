// Prints the traffic between a client and the service, for TRANSCRIPT=1.

/** A fetch that prints each exchange. */
export const transcribed: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const [method, { pathname }] = [request.method, new URL(request.url)];
  const body = await request.clone().text();
  const response = await fetch(request);
  const [copy, text] = [response.clone(), await response.text()];
  if (process.env.TRANSCRIPT === "1") {
    const show = (headers: Headers) => [...headers].flatMap(([name, value]) => [`${name}: ${value}`, ...decoded(name, value)]).join("\n");
    process.stderr.write(
      `\n> ${method} ${pathname}\n${show(request.headers)}\n\n${body}\n\n< ${copy.status}\n${show(copy.headers)}\n\n${text}\n`,
    );
  }
  return copy;
};

/** Decodes x402's headers, which are base64 of JSON. */
const decoded = (name: string, value: string): string[] =>
  name.startsWith("payment-") ? [`    ${JSON.stringify(JSON.parse(Buffer.from(value, "base64").toString()))}`] : [];
