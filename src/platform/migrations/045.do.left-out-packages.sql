-- When a part of a print order has left and the rest gets new labels, the labels of the rest in the old shipment are void.
ALTER TABLE shipment_packages ADD COLUMN left_out_at timestamptz;
