-- events: the reader of an address may refuse confirmations, of any account. The endpoint names them once it is deleted, too.

ALTER TABLE confirmation ADD COLUMN endpoint_id text COLLATE "C", ADD COLUMN refused_until timestamptz;
CREATE INDEX confirmation_endpoint_id_idx ON confirmation (endpoint_id);
