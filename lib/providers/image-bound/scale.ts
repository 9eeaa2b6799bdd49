// Sizes of images as providers scale them before they count.

export interface Size {
  width: number;
  height: number;
}

/** Scaled down to fit into a square of `edge` pixels; a smaller image stays as it is. */
export function fitInto({ width, height }: Size, edge: number): Size {
  const scale = Math.min(1, edge / Math.max(width, height));
  return { width: width * scale, height: height * scale };
}

/** How many squares of `side` pixels cover an image. */
export const countSquares = ({ width, height }: Size, side: number): number => Math.ceil(width / side) * Math.ceil(height / side);

/**
 * The fewest squares that cover an image which is scaled down until `most` cover it. Scaling to whole squares on one side, as OpenAI
 * documents it, takes the most away.
 */
export function fewestSquares({ width, height }: Size, side: number, most: number): number {
  const squares = countSquares({ width, height }, side);
  if (squares <= most) return squares;
  const scale = Math.sqrt(most / ((width / side) * (height / side)));
  const kept = Math.min(...[width, height].map((edge) => Math.floor((edge * scale) / side) / ((edge * scale) / side)));
  return Math.max(1, Math.floor(most * kept ** 2));
}
