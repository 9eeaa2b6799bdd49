// Stands in for @safe-global/safe-apps-sdk, which the wallet libraries name and this product never loads (lib/stubs/README.md).
export {};
