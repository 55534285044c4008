--! no-transaction
ALTER TABLE tracking_checkpoints VALIDATE CONSTRAINT tracking_checkpoints_tracking;
