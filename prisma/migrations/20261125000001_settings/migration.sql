-- What this database remembers about itself. The row `mode` tells sandbox money from real money for ever.
CREATE TABLE setting (
  name  text NOT NULL,
  value text NOT NULL,
  CONSTRAINT setting_pkey PRIMARY KEY (name)
);

-- Every process of the service, with a heartbeat: one whose beat stands still has died, and what it held is freed.
CREATE TABLE process (
  id text COLLATE "C" PRIMARY KEY,
  roles text NOT NULL,
  started_at timestamptz NOT NULL,
  beat bigint NOT NULL
);
