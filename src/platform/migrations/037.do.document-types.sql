-- `all`: dispatch answers name packing slips and customs forms by their own types. Null: the two types of the interface.
ALTER TABLE partners ADD COLUMN document_types text CHECK (document_types = 'all');
