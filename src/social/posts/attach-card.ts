import type { Runtime } from '../../api-kit/runtime.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { statement } from '../../storage/statement.ts'

const cardByUri = statement(
  'post_card_by_uri',
  { card_uri: 'text', choices: 'text[]', duration_in_minutes: 'int4?', end_time: 'timestamptz?' },
  `select card_uri, array_remove(array[first_choice, second_choice, third_choice, fourth_choice], null) as choices, duration_in_minutes,
          end_time
     from ads_card c where card_uri = $1 and not deleted
      and exists (select from ads_account a where a.id = c.account_id and a.sandbox = $2::bool)`,
)

/** The poll that a post is stored with. */
interface DraftedPoll {
  options: string[]
  minutes: number
  endsAt: Date
}

/** A card that a post may have. */
interface AttachedCard {
  uri: string
  /** The poll of a poll card, which has been running since the card was created. */
  poll: DraftedPoll | undefined
}

/** The card that a draft names. Production and sandbox have cards of their own. */
export async function findCard(
  runtime: Runtime,
  uri: string,
  { isEdit, isSandbox }: { isEdit: boolean; isSandbox: boolean },
): Promise<AttachedCard> {
  const row = await cardByUri.first(runtime.database, uri, isSandbox)
  if (!row) throw invalidParameter('card_uri', uri, `There is no card [${uri}].`)
  const poll =
    row.end_time && row.duration_in_minutes
      ? { options: row.choices, minutes: row.duration_in_minutes, endsAt: row.end_time }
      : undefined
  if (poll && isEdit)
    throw invalidParameter('card_uri', uri, 'A card with a poll cannot be given together with edit_options.')
  return { uri: row.card_uri, poll }
}
