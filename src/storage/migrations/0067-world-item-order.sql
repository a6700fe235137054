-- The order in which world files name things: credentials.json lists apps and users in it.
alter table world_item add column number bigint generated always as identity;
