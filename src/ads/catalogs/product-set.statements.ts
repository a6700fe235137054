import { statement } from '../../storage/statement.ts'

const setColumns = {
  id: 'int8',
  name: 'text',
  description: 'text?',
  type: 'text',
  filters: 'jsonb',
  processing_status: 'text',
  product_ids: 'text[]?',
} as const

const SHOWN = `s.id, s.name, s.description, s.type, s.filters, s.processing_status,
  (select coalesce(array_agg(p.id order by m.position, m.product_key), '{}') from ads_product_set_member m
     join ads_product p on p.product_key = m.product_key where m.set_id = s.id) as product_ids`

export const setOf = statement(
  'ads_product_set_of',
  setColumns,
  `select ${SHOWN} from ads_product_set s where s.catalog_id = $1 and s.id = $2`,
)
export const setLock = statement(
  'ads_product_set_lock',
  { id: 'int8', type: 'text' },
  'select id, type from ads_product_set where catalog_id = $1 and id = $2 for update',
)
export const setAdd = statement(
  'ads_product_set_add',
  {},
  `insert into ads_product_set (id, catalog_id, name, description, type, filters, processing_status, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
)
export const setUpdate = statement(
  'ads_product_set_update',
  {},
  'update ads_product_set set name = coalesce($2, name), description = case when $3::bool then $4 else description end, updated_at = $5 where id = $1',
)
export const setRemove = statement('ads_product_set_remove', {}, 'delete from ads_product_set where id = $1')
export const membersClear = statement(
  'ads_product_set_members_clear',
  {},
  'delete from ads_product_set_member where set_id = $1',
)
/** Puts products of the catalog into a set, in the order of the keys; returns the keys that it found. */
export const membersAdd = statement(
  'ads_product_set_members_add',
  { product_key: 'int8' },
  `insert into ads_product_set_member (set_id, product_key, position)
   select $1, p.product_key, k.position::int from unnest($3::bigint[]) with ordinality as k (key, position)
     join ads_product p on p.product_key = k.key and p.catalog_id = $2
   returning product_key`,
)

/** A set whose filters have not been evaluated on all products yet. */
export const setProcessing = statement(
  'ads_product_set_processing',
  { id: 'int8', catalog_id: 'int8' },
  `select id, catalog_id from ads_product_set where processing_status = 'PROCESSING' order by id limit 1`,
)
/** How far the evaluation of a set has come; nothing when it was deleted or finished meanwhile. */
export const setTake = statement(
  'ads_product_set_take',
  { evaluated_to: 'int8' },
  `select evaluated_to from ads_product_set where id = $1 and processing_status = 'PROCESSING' for no key update`,
)
export const productsAhead = statement(
  'ads_products_ahead',
  { product_key: 'int8' },
  'select product_key from ads_product where catalog_id = $1 and product_key > $2 order by product_key limit $3',
)
export const setGather = statement(
  'ads_product_set_gather',
  {},
  `insert into ads_product_set_member (set_id, product_key)
   select s.id, p.product_key from ads_product_set s join ads_product p on p.product_key = any($2::bigint[])
    where s.id = $1 and ads_product_fits(p, s.filters) on conflict do nothing`,
)
export const setMove = statement(
  'ads_product_set_move',
  {},
  'update ads_product_set set evaluated_to = $2, processing_status = $3 where id = $1',
)
export const setFail = statement(
  'ads_product_set_fail',
  {},
  `update ads_product_set set processing_status = 'FAILED' where id = $1`,
)
