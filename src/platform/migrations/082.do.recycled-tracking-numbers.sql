-- A tracking number is not unique. Workers of the previous release cannot record label purchases until they are replaced; their
-- activities retry.
ALTER TABLE tracking_checkpoints DROP CONSTRAINT tracking_checkpoints_tracking_number_fkey;
ALTER TABLE trackings DROP CONSTRAINT trackings_pkey;
ALTER TABLE trackings ADD CONSTRAINT trackings_pkey PRIMARY KEY USING INDEX trackings_number;
ALTER TABLE tracking_checkpoints DROP CONSTRAINT tracking_checkpoints_tracking_number_event_key_key;
ALTER TABLE tracking_checkpoints ADD CONSTRAINT tracking_checkpoints_event_unique UNIQUE USING INDEX tracking_checkpoints_event;
ALTER TABLE tracking_checkpoints ADD CONSTRAINT tracking_checkpoints_tracking FOREIGN KEY (tracking_number, generation)
  REFERENCES trackings ON DELETE CASCADE NOT VALID;
ALTER TABLE shipment_packages DROP CONSTRAINT shipment_packages_tracking_number_key;
ALTER TABLE carrier_purchases DROP CONSTRAINT carrier_purchases_tracking_number_key;
