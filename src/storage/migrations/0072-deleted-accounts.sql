-- An account that its user deleted. It is deactivated at once: hidden like a suspended one, and not found. What it left is removed
-- in the background, and the row of the user last.
alter table user_account add column deactivated_at timestamptz;
create table deleted_account (
  user_id bigint primary key,
  deleted_at timestamptz not null,
  -- Null while something is left to remove.
  removed_at timestamptz
);
create index deleted_account_left on deleted_account (user_id) where removed_at is null;
create index client_app_of_owner on client_app (owner_user_id);
