// Reads an image of this machine for a message. A large one is made smaller: models see no more, and its tokens are paid.

import type { AttachedImage } from "./conversation";

export const MAX_TURN_IMAGES = 8;
/** The longest edge that vision models use without making it smaller themselves (Anthropic: 1,568 px; OpenAI: 2,048 px). */
const MAX_EDGE = 1_568;
/** A smaller file of a size in bounds is sent as it is. */
const MAX_UNCHANGED_BYTES = 400_000;
const MAX_FILE_BYTES = 50_000_000;
const types = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** The image as a data URL, or why there is none. */
export async function readImage(file: File): Promise<AttachedImage | { problem: string }> {
  if (!types.has(file.type)) return { problem: `${file.name} is not a PNG, JPEG, WebP or GIF image.` };
  if (file.size > MAX_FILE_BYTES) {
    return {
      problem: `${file.name} is ${Math.ceil(file.size / 1_000_000)} MB. Add images of at most ${MAX_FILE_BYTES / 1_000_000} MB.`,
    };
  }
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, MAX_EDGE / Math.max(bitmap.width, bitmap.height));
    const url = scale === 1 && file.size <= MAX_UNCHANGED_BYTES ? await dataUrl(file) : await redraw(bitmap, scale, file.type);
    bitmap.close();
    return { name: file.name, url };
  } catch {
    return { problem: `${file.name} cannot be read as an image.` };
  }
}

const dataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

async function redraw(bitmap: ImageBitmap, scale: number, type: string): Promise<string> {
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(bitmap.width * scale)), Math.max(1, Math.round(bitmap.height * scale)));
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  // JPEG has no transparency: transparent parts become white.
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return dataUrl(await canvas.convertToBlob({ type: type === "image/webp" ? type : "image/jpeg", quality: 0.85 }));
}
