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
