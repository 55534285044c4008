-- Number of inspections of a file that have started. A file that ends every process that opens it is refused after some.
ALTER TABLE order_files ADD COLUMN inspections int NOT NULL DEFAULT 0;
ALTER TABLE packing_slips ADD COLUMN inspections int NOT NULL DEFAULT 0;
