-- The version of the SQL functions that a process calls (prisma/functions/VERSION); null: one from before this column.
ALTER TABLE process ADD COLUMN functions integer;
