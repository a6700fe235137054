-- The scopes of a token whose refresh asked for fewer than the grant has; null means those of the grant.
alter table oauth2_access_token add column scopes text[];
