// Names that owners give to their things: seen by them alone, and told apart by eye.

// Invisible characters, and those that reverse the text beside them: no name needs them, and they make two names look alike. U+200D
// is allowed, since it joins emoji.
const unseen =
  /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/u;

/** The name as it is stored; null for a name without a letter, digit or sign. @throws RangeError that names the fault */
export function readNameText(text: string): string | null {
  const trimmed = text.normalize("NFC").trim();
  if (unseen.test(trimmed)) throw new RangeError("The name contains an invisible character. Type it again.");
  return /[^\p{M}\p{Z}\u200d]/u.test(trimmed) ? trimmed : null;
}
