import { change, type Runtime } from '../../api-kit/runtime.ts'
import { isStorableId } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { type AdsError, invalidParameter, missingParameter } from '../kit/errors.ts'
import { wholeSecond } from '../kit/times.ts'
import { catalogNotFound } from './catalog-access.ts'
import { PRODUCT_FIELD_NAMES } from './product.fields.ts'
import { idErrors, type ReadProduct, readProduct, type StoredProduct } from './product.rules.ts'
import {
  catalogLock,
  groupsJoin,
  groupsLead,
  groupsOf,
  keysTaken,
  productsLock,
  productsStore,
  setsFollow,
} from './product.statements.ts'

type SentProduct = Record<string, unknown>

/** The result of a sent product. */
export interface PutResult {
  id: string
  product_key: string | null
  status: 'CREATE_SUCCESS' | 'UPDATE_SUCCESS' | 'NO_CHANGE' | 'ERROR'
  errors: AdsError[]
  warnings: AdsError[]
}

/** How products are sent. */
export interface PutOptions {
  /** True when a product that exists must be sent with its product_key; files of merchants do not have keys. */
  needsKeys: boolean
  /** Called in the transaction before anything is changed; throws to end it. */
  begin?(tx: Tx): Promise<void>
}

/** Creates and updates products of a catalog. Each product is checked separately; those without errors are stored together. */
export const putProducts = (
  runtime: Runtime,
  catalogId: string,
  sent: readonly SentProduct[],
  options: PutOptions,
): Promise<PutResult[]> => change(runtime, (tx) => putWithin(tx, runtime, catalogId, sent, options))

interface CheckedProduct extends ReadProduct {
  sent: SentProduct
  stored: StoredProduct | undefined
  isChanged: boolean
  keepsImages: boolean
}

async function putWithin(
  tx: Tx,
  runtime: Runtime,
  catalogId: string,
  sent: readonly SentProduct[],
  options: PutOptions,
): Promise<PutResult[]> {
  if (!(await catalogLock.first(tx, catalogId))) throw catalogNotFound(catalogId)
  await options.begin?.(tx)
  const stored = await storedProducts(tx, catalogId, sent)
  const checked = checkProducts(sent, stored, options)
  await checkGroupKeys(tx, catalogId, checked)
  const changed = checked.filter((item) => item.errors.length === 0 && item.isChanged)
  const keys = new Map(changed.map((item) => [item, item.stored?.product_key ?? runtime.ids.next()]))
  if (changed.length > 0) {
    const groups = await joinGroups(tx, runtime, catalogId, changed)
    const now = wholeSecond(runtime.clock.now())
    const rows = changed.map((item) => rowOf(item, keys.get(item)!, catalogId, groups, now))
    await productsStore.count(tx, JSON.stringify(rows))
    await leadGroups(tx, changed, groups)
    await setsFollow.count(tx, catalogId, [...keys.values()])
  }
  return checked.map((item) => ({
    id: typeof item.sent.id === 'string' ? item.sent.id : '',
    product_key: keys.get(item) ?? item.stored?.product_key ?? null,
    status:
      item.errors.length > 0
        ? 'ERROR'
        : !item.stored
          ? 'CREATE_SUCCESS'
          : item.isChanged
            ? 'UPDATE_SUCCESS'
            : 'NO_CHANGE',
    errors: item.errors,
    warnings: item.warnings,
  }))
}

/** Stored products by the ids that were sent, and the sent keys of new ids that other products already have. */
async function storedProducts(tx: Tx, catalogId: string, sent: readonly SentProduct[]) {
  const ids = sent.map((item) => item.id).filter((id): id is string => typeof id === 'string' && !id.includes('\0'))
  const rows: StoredProduct[] = await productsLock.all(tx, catalogId, [...new Set(ids)].sort())
  const byId = new Map<unknown, StoredProduct>(rows.map((row) => [row.id, row]))
  const keys = sent
    .filter((item) => !byId.has(item.id))
    .map((item) => item.product_key)
    .filter((key): key is string => typeof key === 'string' && isStorableId(key))
  const taken = keys.length === 0 ? [] : await keysTaken.all(tx, catalogId, keys)
  return { byId, taken: new Set(taken.map((row) => row.product_key)) }
}

function checkProducts(
  sent: readonly SentProduct[],
  { byId, taken }: Awaited<ReturnType<typeof storedProducts>>,
  { needsKeys }: PutOptions,
): CheckedProduct[] {
  const times = new Map<unknown, number>()
  for (const { id } of sent) times.set(id, (times.get(id) ?? 0) + 1)
  return sent.map((item) => {
    const errorsOfId = idErrors(item)
    const stored = errorsOfId.length === 0 ? byId.get(item.id) : undefined
    const read = readProduct(item, stored)
    read.errors.unshift(...errorsOfId)
    if (errorsOfId.length === 0 && times.get(item.id)! > 1)
      read.errors.unshift(
        invalidParameter('id', 'occurs more than once in the request; all its instances are ignored', item.id),
      )
    if (errorsOfId.length === 0) checkKey(item, stored, taken, needsKeys, read)
    const keepsImages =
      stored?.image_link === read.values.image_link &&
      stored.additional_image_link === read.values.additional_image_link
    if (read.errors.length === 0 && keepsImages && Array.isArray(stored.image_faults))
      read.warnings.push(...stored.image_faults.map(({ parameter, details }) => invalidParameter(parameter, details)))
    const isChanged = !stored || PRODUCT_FIELD_NAMES.some((name) => stored[name] !== read.values[name])
    return { ...read, sent: item, stored, isChanged, keepsImages }
  })
}

function checkKey(
  item: SentProduct,
  stored: StoredProduct | undefined,
  taken: ReadonlySet<string>,
  needsKeys: boolean,
  read: ReadProduct,
): void {
  const key = item.product_key
  if (key === undefined || key === null || key === '') {
    if (stored && needsKeys)
      read.errors.push(missingParameter('product_key', 'is required for an id that is already in the catalog'))
    return
  }
  if (typeof key !== 'string' || !/^\d{1,20}$/.test(key))
    read.errors.push(invalidParameter('product_key', 'must be a decimal string', String(key).slice(0, 200)))
  else if (stored ? stored.product_key !== key : taken.has(key))
    read.errors.push(invalidParameter('product_key', 'is not the key of the product with this id', key))
  else if (!stored)
    read.warnings.push(
      invalidParameter('product_key', 'is assigned by the server for a new id; the sent key was ignored', key),
    )
}

/** Checks that a sent group key is that of the group; the server assigns group keys. */
async function checkGroupKeys(tx: Tx, catalogId: string, checked: CheckedProduct[]): Promise<void> {
  const given = checked.filter(({ sent }) => sent.item_group_key !== undefined && sent.item_group_key !== null)
  if (given.length === 0) return
  const ids = given.flatMap(({ values }) => (values.item_group_id as string | null) ?? [])
  const groups = new Map((await groupsOf.all(tx, catalogId, ids)).map((row) => [row.item_group_id, row.key]))
  for (const { sent, values, errors } of given)
    if (values.item_group_id === null || groups.get(values.item_group_id as string) !== sent.item_group_key)
      errors.push(
        invalidParameter(
          'item_group_key',
          'is not the key of the group with this item_group_id',
          String(sent.item_group_key).slice(0, 200),
        ),
      )
}

const movesGroup = ({ stored, values }: CheckedProduct): boolean =>
  (stored?.item_group_id ?? null) !== values.item_group_id

async function joinGroups(
  tx: Tx,
  runtime: Runtime,
  catalogId: string,
  changed: CheckedProduct[],
): Promise<Map<string, string>> {
  const moved = changed.filter(movesGroup)
  const joined = [...new Set(moved.flatMap(({ values }) => (values.item_group_id as string | null) ?? []))]
  if (joined.length === 0) return new Map()
  const newKeys = joined.map(() => runtime.ids.next())
  return new Map((await groupsJoin.all(tx, catalogId, newKeys, joined)).map((row) => [row.item_group_id, row.key]))
}

async function leadGroups(tx: Tx, changed: CheckedProduct[], groups: Map<string, string>): Promise<void> {
  const left = changed.filter(movesGroup).flatMap(({ stored }) => stored?.item_group_key ?? [])
  const affected = [...new Set([...groups.values(), ...left])]
  if (affected.length > 0) await groupsLead.count(tx, affected)
}

function rowOf(item: CheckedProduct, key: string, catalogId: string, groups: Map<string, string>, now: Date) {
  const { values, stored } = item
  const group = values.item_group_id as string | null
  const moves = movesGroup(item)
  return {
    ...values,
    product_key: key,
    catalog_id: catalogId,
    id: item.sent.id,
    item_group_key: group === null ? null : moves ? groups.get(group) : stored?.item_group_key,
    leads: stored && !moves ? stored.leads : group === null,
    images_checked: item.keepsImages ? stored!.images_checked : false,
    image_faults: item.keepsImages ? stored!.image_faults : null,
    created_at: now,
    updated_at: now,
  }
}
