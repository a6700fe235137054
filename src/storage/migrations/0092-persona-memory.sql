-- What personas remember changes often, and no index has it: with room on its page a row is changed in place, without its three indexes.
alter table persona set (fillfactor = 70);
