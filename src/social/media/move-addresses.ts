import { type Database, transaction } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const addressNote = statement(
  'media_address_note',
  { before: 'text?' },
  `with known as (select value from instance_fact where name = 'base_url')
   insert into instance_fact (name, value) values ('base_url', $1) on conflict (name) do update set value = excluded.value
   returning (select value from known) as before`,
)
const mediaMove = statement(
  'media_address_move',
  {},
  `update media set url = replace(url, $1, $2), preview_image_url = replace(preview_image_url, $1, $2),
     variants = replace(variants::text, $1, $2)::jsonb
   where starts_with(url, $1) or starts_with(preview_image_url, $1)`,
)

/** Stored urls of media contain the base url of the server. When it starts with a different one, all of them are updated. */
export async function moveMediaAddresses(database: Database, baseUrl: string): Promise<void> {
  await transaction(database, async (tx) => {
    const before = (await addressNote.first(tx, baseUrl))?.before
    if (before && before !== baseUrl) await mediaMove.count(tx, `${before}/media/`, `${baseUrl}/media/`)
  })
}
