import { statement } from '../../storage/statement.ts'
import { PRODUCT_FIELD_NAMES } from './product.fields.ts'

const GIVEN = PRODUCT_FIELD_NAMES.join(', ')
const STORED = `product_key, id, ${GIVEN}, item_group_key`

const productColumns = {
  product_key: 'int8',
  id: 'text',
  title: 'text',
  description: 'text',
  availability: 'text',
  condition: 'text',
  price: 'text',
  link: 'text',
  image_link: 'text',
  brand: 'text?',
  gtin: 'text?',
  mpn: 'text?',
  mobile_link: 'text?',
  additional_image_link: 'text?',
  taxonomy_product_category: 'text?',
  product_type: 'text?',
  inventory: 'int4?',
  sale_price: 'text?',
  sale_price_effective_date: 'text?',
  item_group_id: 'text?',
  gender: 'text?',
  color: 'text?',
  size: 'text?',
  age_group: 'text?',
  custom_label_0: 'text?',
  custom_label_1: 'text?',
  custom_label_2: 'text?',
  custom_label_3: 'text?',
  custom_label_4: 'text?',
  item_group_key: 'int8?',
} as const

/** A page of what stands for itself or its group. */
export const productPage = statement(
  'ads_product_page',
  productColumns,
  `select ${STORED} from ads_product where catalog_id = $1 and leads and product_key > $2 order by product_key limit $3`,
)
export const productPageOfGroup = statement(
  'ads_product_page_of_group',
  productColumns,
  `select ${STORED} from ads_product
    where catalog_id = $1 and leads and product_key > $2 and item_group_key = $4 order by product_key limit $3`,
)

/**
 * Held first by everything that changes products, groups and sets of a catalog, so that one such change at a time goes on: a
 * product drags the others of its groups and the members of sets along, and no order of holding those one by one fits all.
 */
export const catalogHold = statement(
  'ads_catalog_hold',
  { id: 'int8' },
  'select id from ads_product_catalog where id = $1 for no key update',
)
/** Products by their ids, held against notes about their pictures. */
export const productsHold = statement(
  'ads_products_hold',
  { ...productColumns, leads: 'bool', images_checked: 'bool', image_faults: 'jsonb?' },
  // One by one: where PostgreSQL knows little of a catalog yet, it would rather read the whole of it.
  `select p.* from unnest($2::text[]) as sent (sent_id) cross join lateral (
     select ${STORED}, leads, images_checked, image_faults from ads_product
      where catalog_id = $1 and id = sent.sent_id limit 1 for update) p`,
)
export const keysTaken = statement(
  'ads_product_keys_taken',
  { product_key: 'int8' },
  'select product_key from ads_product where catalog_id = $1 and product_key = any($2::bigint[])',
)
export const groupsOf = statement(
  'ads_product_groups_of',
  { key: 'int8', item_group_id: 'text' },
  'select key, item_group_id from ads_product_group where catalog_id = $1 and item_group_id = any($2::text[])',
)
/** Makes the groups that are missing, and tells the keys of all. */
export const groupsJoin = statement(
  'ads_product_groups_join',
  { key: 'int8', item_group_id: 'text' },
  `insert into ads_product_group (key, catalog_id, item_group_id)
   select s.key, $1, s.item_group_id from unnest($2::bigint[], $3::text[]) as s (key, item_group_id) order by s.item_group_id
   on conflict (catalog_id, item_group_id) do update set item_group_id = excluded.item_group_id
   returning key, item_group_id`,
)
/** The variant that was submitted first stands for its group. */
export const groupsLead = statement(
  'ads_product_groups_lead',
  {},
  `update ads_product p set leads = (p.product_key = g.first)
     from (select item_group_key, min(product_key) as first from ads_product where item_group_key = any($1::bigint[]) group by item_group_key) g
    where p.item_group_key = g.item_group_key and p.leads <> (p.product_key = g.first)`,
)

const WRITTEN = [...PRODUCT_FIELD_NAMES, 'item_group_key', 'leads', 'images_checked', 'image_faults', 'updated_at']
export const productsStore = statement(
  'ads_products_store',
  {},
  `insert into ads_product (product_key, catalog_id, id, created_at, ${WRITTEN.join(', ')})
   select product_key, catalog_id, id, created_at, ${WRITTEN.join(', ')} from jsonb_populate_recordset(null::ads_product, $1::jsonb)
   on conflict (catalog_id, id) do update set ${WRITTEN.map((name) => `${name} = excluded.${name}`).join(', ')}`,
)
export const groupsOfProducts = statement(
  'ads_product_groups_of_products',
  { item_group_key: 'int8?' },
  `select distinct item_group_key from ads_product
    where catalog_id = $1 and product_key = any($2::bigint[]) and item_group_key is not null`,
)
export const productsRemove = statement(
  'ads_products_remove',
  { product_key: 'int8' },
  'delete from ads_product where catalog_id = $1 and product_key = any($2::bigint[]) returning product_key',
)
/** Holds changed products against the filters of the catalog's sets. */
export const setsFollow = statement(
  'ads_product_sets_follow',
  {},
  `with judged as (
     select s.id as set_id, p.product_key, ads_product_fits(p, s.filters) as fits
       from ads_product_set s cross join ads_product p
      where s.catalog_id = $1 and s.type = 'FILTERED' and s.processing_status <> 'FAILED' and p.product_key = any($2::bigint[])
   ), gone as (
     delete from ads_product_set_member m using judged j
      where not j.fits and m.set_id = j.set_id and m.product_key = j.product_key
   )
   insert into ads_product_set_member (set_id, product_key) select set_id, product_key from judged where fits
   on conflict do nothing`,
)
