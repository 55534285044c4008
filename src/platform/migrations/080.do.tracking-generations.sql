-- Carriers use tracking numbers again, and two carriers can use the same one. Each use of a number is a tracking of its own.
ALTER TABLE trackings ADD COLUMN generation int NOT NULL DEFAULT 0;
ALTER TABLE tracking_checkpoints ADD COLUMN generation int NOT NULL DEFAULT 0;
