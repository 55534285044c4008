-- Tracking codes that print partners bring. They have a print order in place of a shipment.
ALTER TABLE trackings ALTER COLUMN shipment_id DROP NOT NULL;
ALTER TABLE trackings ADD COLUMN print_order_id bigint REFERENCES print_orders ON DELETE CASCADE;
-- Null while no carrier is known for the code. The tracking sweep asks the gateways.
ALTER TABLE trackings ALTER COLUMN carrier_uid DROP NOT NULL;
ALTER TABLE trackings ADD COLUMN carrier_name text;
-- Uid of the gateway that is polled for the code. Shipments are polled by their method.
ALTER TABLE trackings ADD COLUMN adapter_uid text;
-- The partner's own tracking page.
ALTER TABLE trackings ADD COLUMN tracking_url text;
ALTER TABLE trackings ADD CONSTRAINT trackings_owner CHECK (num_nonnulls(shipment_id, print_order_id) = 1);
CREATE INDEX trackings_print_order ON trackings (print_order_id) WHERE print_order_id IS NOT NULL;
