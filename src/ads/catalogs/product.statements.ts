import { statement } from '../../storage/statement.ts'
import { PRODUCT_FIELD_NAMES } from './product.fields.ts'

const SENT = PRODUCT_FIELD_NAMES.join(', ')
const STORED = `product_key, id, ${SENT}, item_group_key`

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

/** A page of products without a group and of the first variants of groups. */
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
 * Taken first by every change to products, groups and sets of a catalog, so only one such change runs at a time: a product
 * changes other products of its groups and the members of sets, and no order of row locks fits all of these changes.
 */
export const catalogLock = statement(
  'ads_catalog_lock',
  { id: 'int8' },
  'select id from ads_product_catalog where id = $1 for no key update',
)
/** Products by their ids, locked against the task that checks images. */
export const productsLock = statement(
  'ads_products_lock',
  { ...productColumns, leads: 'bool', images_checked: 'bool', image_faults: 'jsonb?' },
  // Looked up one by one: without statistics about a new catalog, PostgreSQL would read all of it.
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
/** Creates the missing groups and returns the keys of all. */
export const groupsJoin = statement(
  'ads_product_groups_join',
  { key: 'int8', item_group_id: 'text' },
  `insert into ads_product_group (key, catalog_id, item_group_id)
   select s.key, $1, s.item_group_id from unnest($2::bigint[], $3::text[]) as s (key, item_group_id) order by s.item_group_id
   on conflict (catalog_id, item_group_id) do update set item_group_id = excluded.item_group_id
   returning key, item_group_id`,
)
/** Makes the first submitted variant the one that represents its group. */
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
/** Evaluates the filters of the catalog's sets on changed products. */
export const setsFollow = statement(
  'ads_product_sets_follow',
  {},
  `with evaluated as (
     select s.id as set_id, p.product_key, ads_product_fits(p, s.filters) as fits
       from ads_product_set s cross join ads_product p
      where s.catalog_id = $1 and s.type = 'FILTERED' and s.processing_status <> 'FAILED' and p.product_key = any($2::bigint[])
   ), removed as (
     delete from ads_product_set_member m using evaluated e
      where not e.fits and m.set_id = e.set_id and m.product_key = e.product_key
   )
   insert into ads_product_set_member (set_id, product_key) select set_id, product_key from evaluated where fits
   on conflict do nothing`,
)
