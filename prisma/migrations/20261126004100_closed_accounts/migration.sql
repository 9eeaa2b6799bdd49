-- access: when its owner closed an account; signing in again opens it.

ALTER TABLE account ADD COLUMN closed_at timestamptz;
