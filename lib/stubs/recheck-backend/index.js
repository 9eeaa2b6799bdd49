// Stands in for recheck's native and Java builds: the check of regular expressions runs its JavaScript (lib/stubs/README.md).
export {};
