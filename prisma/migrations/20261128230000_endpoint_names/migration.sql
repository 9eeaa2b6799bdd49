-- What its owner calls an endpoint; null: by its host or its address.
ALTER TABLE endpoint ADD COLUMN name text;
