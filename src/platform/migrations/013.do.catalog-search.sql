-- Search by part of the name. Every place in a name is an index entry of the eight characters that follow it, so that a
-- text of up to eight characters is one range of entries, and a longer one the rows that hold all of its pieces of
-- eight: the cost follows the matches. By trigrams it followed the commonest letters: among a million products a
-- text with ten matches took 2.4 ms, and takes 0.02 ms so, for an index of 300 MB instead of 55.
CREATE FUNCTION searchable(name text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  folded text := lower(name);
  pieces text[] := '{}';
BEGIN
  FOR place IN 1..length(folded) LOOP
    pieces[place] := substr(folded, place, 8);
  END LOOP;
  RETURN array_to_tsvector(pieces);
END $$;

-- The entries of every name that holds the text, whatever characters are in it.
CREATE FUNCTION search_for(search text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_agg('''' || replace(replace(substr(lower(search), place, 8), '\', '\\'), '''', '''''') || ''''
                    || CASE WHEN length(lower(search)) < 8 THEN ':*' ELSE '' END, '&')::tsquery
  FROM generate_series(1, greatest(1, length(lower(search)) - 7)) AS place
$$;

DROP INDEX customer_product_listings_search;
DROP INDEX customer_products_search;
-- New entries wait to be sorted in together, but few of them, since every search reads through those that wait. A row
-- costs 0.1 ms of writing so; sorted in at once 0.2 ms, with trigrams 0.02 ms.
CREATE INDEX customer_product_listings_search ON customer_product_listings USING gin (searchable(name))
  WITH (gin_pending_list_limit = 64);
CREATE INDEX customer_products_search ON customer_products USING gin (searchable(name))
  WITH (gin_pending_list_limit = 64);
