// Stands in for @reown/appkit, which the wallet libraries name and this product never loads (lib/stubs/README.md).
export {};
