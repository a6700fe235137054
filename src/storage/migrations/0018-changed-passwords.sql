-- The first users' passwords are told in credentials.json while they are still the first ones.
alter table user_sign_in add column password_changed boolean not null default false;
