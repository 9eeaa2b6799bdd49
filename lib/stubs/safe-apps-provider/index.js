// Stands in for @safe-global/safe-apps-provider, which the wallet libraries name and this product never loads (lib/stubs/README.md).
export {};
