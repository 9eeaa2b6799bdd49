-- What this database remembers about itself. The row `mode` tells sandbox money from real money for ever.
CREATE TABLE setting (
  name  text NOT NULL,
  value text NOT NULL,
  CONSTRAINT setting_pkey PRIMARY KEY (name)
);
