// The driver's own way to write a parameter, which it hands to statements of other makers (pg-cursor takes it from there too).

declare module "pg/lib/utils.js" {
  export function prepareValue(value: unknown): string | Buffer | null;
}
