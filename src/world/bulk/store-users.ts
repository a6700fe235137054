import { userTermsStored } from '../../social/users/user-terms.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const usersAdd = statement(
  'bulk_users_add',
  {},
  `with sent as materialized (
     select * from jsonb_to_recordset($1::jsonb) as u (id bigint, username text, name text, description text, description_entities jsonb,
       location text, url text, url_entities jsonb, profile_image_url text, profile_banner_url text, protected bool, suspended bool,
       verified_type text, subscription_type text, geo_enabled bool, receives_messages_from_everyone bool, created_at timestamptz, email text,
       password_hash text)
   ), made as (
     insert into user_account (id, username, name, description, description_entities, location, url, url_entities, profile_image_url,
       profile_banner_url, protected, suspended, verified_type, subscription_type, geo_enabled, receives_messages_from_everyone, created_at,
       protected_at, suspended_at)
     select id, username, name, description, description_entities, location, url, url_entities, profile_image_url, profile_banner_url,
       protected, suspended, verified_type, subscription_type, geo_enabled, receives_messages_from_everyone, created_at,
       case when protected then $2::timestamptz end, case when suspended then $2::timestamptz end
     from sent returning id, username, search
   ), metrics as (insert into user_metrics (user_id) select id from made),
   terms as (${userTermsStored('select id, username, search from made')})
   insert into user_sign_in (user_id, password_hash, email, email_confirmed)
   select id, password_hash, email, email is not null from sent`,
)

/** Stores new users, with counters at zero and the terms that they are found by. `users` is JSON with all columns. */
export async function storeUsers(tx: Tx, users: string, now: Date): Promise<void> {
  await usersAdd.count(tx, users, now)
}
