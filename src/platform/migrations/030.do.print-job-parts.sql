-- Ids of the parts of a mounted product in the print order, except services: the first is the job's id, the others come from
-- the same sequence, so that no id is used twice. Empty for other products and for jobs from before this migration.
ALTER TABLE print_jobs ADD COLUMN part_ids bigint[] NOT NULL DEFAULT '{}';
