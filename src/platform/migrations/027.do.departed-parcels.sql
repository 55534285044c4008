-- The parcel that a print job left in: kept when address or method change for the rest of its print order.
ALTER TABLE print_jobs
  -- The partner's own tracking data, of a postback about this job.
  ADD COLUMN tracking_code text,
  ADD COLUMN tracking_link text,
  -- Set for a job that left before a change of address or method. The shipment is null without a label of ours.
  ADD COLUMN departed_shipment_id uuid REFERENCES shipments,
  ADD COLUMN departed_method_uid text,
  ADD COLUMN departed_method_name text;
