import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { closed, Type } from '../api-kit/declaring/schema.ts'
import { readLimit, readOwnQuery, readWord } from '../api-kit/reading/request-query.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { Answer } from '../api-kit/writing/answer.ts'
import { blank, invalidParameter } from '../api-kit/writing/problems.ts'
import { appPart } from '../identity/credentials.parts.ts'
import { isStorableId, LARGEST_ID } from '../process/ids.ts'
import { deliveriesAfter, deliveriesByIds, deliveriesNewest, deliveryRepeat } from '../webhooks/delivery.statements.ts'
import { deliveryHeaders } from '../webhooks/sign-delivery.ts'
import { defineCommand } from './command.ts'
import {
  DELIVERY_STATES,
  type DeliveryAttempt,
  MAX_DELIVERY_IDS,
  type ShownDelivery,
  writeDelivery,
} from './shown-delivery.ts'

const MAX_DELIVERIES = 1_000

export type DeliveryRow = Awaited<ReturnType<typeof deliveriesNewest.all>>[number]

/** A row as operators see it. */
export function showDelivery({
  body,
  state,
  next_attempt_at: next,
  created_at: created,
  record,
  ...facts
}: DeliveryRow): ShownDelivery {
  return {
    ...facts,
    state: state as ShownDelivery['state'],
    ...(state === 'pending' ? { next_attempt_at: next.toISOString() } : {}),
    created_at: created.toISOString(),
    record: record as DeliveryAttempt[],
    request: { bytes: Buffer.byteLength(body), text: body },
  }
}

const PARAMETERS = ['webhook_id', 'state', 'limit', 'before', 'after', 'ids']

function readId(given: Map<string, string>, name: string): string | undefined {
  const value = given.get(name)
  if (value === undefined || isStorableId(value)) return value
  throw invalidParameter(name, value, `${name} must be an id`)
}

/** Lists deliveries: newest first, or oldest first after an id. */
export async function readDeliveries(request: RequestFacts, runtime: Runtime): Promise<Answer> {
  const rows = await find(runtime, readOwnQuery(request.rawQuery, PARAMETERS))
  return new Answer(`{"deliveries":[${rows.map((row) => writeDelivery(showDelivery(row))).join()}]}`)
}

function find(runtime: Runtime, given: Map<string, string>): Promise<DeliveryRow[]> {
  const ids = given.get('ids')
  if (ids !== undefined) {
    if (given.size > 1) throw invalidParameter('ids', ids, 'ids cannot be combined with another parameter')
    return deliveriesByIds.all(runtime.database, readIds(ids))
  }
  const limit = readLimit(given, MAX_DELIVERIES)
  const state = readWord(given, 'state', DELIVERY_STATES)
  const [before, after] = [readId(given, 'before'), readId(given, 'after')]
  if (before !== undefined && after !== undefined)
    throw invalidParameter('after', after, 'after cannot be combined with before')
  const filter = [readId(given, 'webhook_id') ?? null, state ?? null, limit] as const
  return after === undefined
    ? deliveriesNewest.all(runtime.database, before ?? LARGEST_ID, ...filter)
    : deliveriesAfter.all(runtime.database, after, ...filter)
}

function readIds(text: string): string[] {
  const ids = text.split(',')
  if (!ids.every(isStorableId)) throw invalidParameter('ids', text, 'ids must be ids separated by commas')
  if (ids.length > MAX_DELIVERY_IDS)
    throw invalidParameter('ids', text, `ids must have at most ${MAX_DELIVERY_IDS} ids`)
  return ids
}

/** A delivery with the headers that an attempt has now: they are signed with the present API key secret of the app. */
export const deliveryShowCommand = defineCommand(
  'delivery.show',
  closed({ id: Type.String({ pattern: '^[0-9]{1,19}$' }) }),
  async (runtime, { id }) => {
    const [row] = isStorableId(id) ? await deliveriesByIds.all(runtime.database, [id]) : []
    if (!row) throw blank(404, `There is no delivery ${id}. Deliveries are kept for a day.`)
    const app = await runtime.parts.one(appPart, row.app_id)
    const { request, ...facts } = showDelivery(row)
    const headers = app && deliveryHeaders(runtime.secretBox.open(app.api_key_secret_sealed), request.text)
    return { ...facts, app: app?.name ?? null, request: { ...request, headers: headers ?? null } }
  },
)

/** Sends a delivery again, as a new delivery. */
export const deliveryRepeatCommand = defineCommand(
  'delivery.repeat',
  closed({ id: Type.String({ pattern: '^[0-9]{1,19}$' }) }),
  async (runtime, { id }) => {
    const [old] = isStorableId(id) ? await deliveriesByIds.all(runtime.database, [id]) : []
    if (!old) throw blank(404, `There is no delivery ${id}. Deliveries are kept for a day.`)
    if (old.body === '') throw blank(409, `Delivery ${id} cannot be repeated: it was withheld and has no body.`)
    const made = await deliveryRepeat.first(runtime.database, id, new Date(runtime.clock.now()))
    if (!made) throw blank(409, `Delivery ${id} cannot be repeated: its webhook ${old.webhook_id} was removed.`)
    return {
      id: made.id,
      repeats: old.id,
      webhook_id: old.webhook_id,
      url: old.url,
      // A webhook that is not valid gets nothing until it passes a challenge.
      webhook_valid: old.webhook_valid,
    }
  },
)
