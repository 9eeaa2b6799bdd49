// pg's own conversion of a parameter, which it exports for other implementers of statements (pg-cursor uses it too).

declare module "pg/lib/utils.js" {
  export function prepareValue(value: unknown): string | Buffer | null;
}
