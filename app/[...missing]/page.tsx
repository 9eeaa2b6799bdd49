import { notFound } from "next/navigation";

/** Every path that no page has: answered with 404, in the frame that its reader is in. */
export default function MissingPage(): never {
  notFound();
}
