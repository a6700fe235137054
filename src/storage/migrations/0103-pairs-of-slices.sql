-- Which pairs of neighbouring words the posts of a settled slice have, so a phrase is not looked for where it cannot be. `bits` are
-- blocks of 64 bytes, of which a search reads one for each pair. A slice without a row is read. Rows can be lost.
create unlogged table search_pairs (
  slice int primary key,
  blocks int not null,
  bits bytea not null
);
-- Uncompressed, so that one block can be read.
alter table search_pairs alter column bits set storage external;

-- The slice that a late post came into: its pairs are not known any more. Null for changes that bring no words.
alter table search_change add column slice int;
