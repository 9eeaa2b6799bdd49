// The example of the page on images: the page shows it, and the test beside this file runs it.

import type { Site } from "@/app/site";

/** A red dot of two by two pixels. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP8zwACTGCSAQANHQEDgslx/wAAAABJRU5ErkJggg==";

export const imageExample = ({ baseUrl, keyVariable }: Pick<Site, "baseUrl" | "keyVariable">): string =>
  `curl ${baseUrl}/api/v1/chat/completions \\
  -H "Authorization: Bearer $${keyVariable}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "gpt-4o",
    "messages": [{
      "role": "user",
      "content": [
        {"type": "text", "text": "What color is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,${DOT}", "detail": "low"}}
      ]
    }]
  }'`;
