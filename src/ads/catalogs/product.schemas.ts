import { component, nullable, Type, words } from '../../api-kit/declaring/schema.ts'
import { decimalKind } from '../kit/values.ts'
import { AGE_GROUPS, AVAILABILITIES, CONDITIONS, PRODUCT_GENDERS } from './product.fields.ts'

const Text = Type.String()
const OrNull = nullable(Text)
const Price = Type.String({ pattern: '^[0-9]+(\\.[0-9]+)? [A-Z]{3}$' })

/** A product as replies show it: with every member, null where unset. */
export const ProductSchema = component(
  'AdsProduct',
  Type.Object({
    id: Text,
    product_key: decimalKind.schema,
    title: Type.String({ maxLength: 150 }),
    description: Type.String({ maxLength: 5_000 }),
    availability: words(AVAILABILITIES),
    condition: words(CONDITIONS),
    price: Price,
    link: Text,
    image_link: Text,
    brand: OrNull,
    gtin: OrNull,
    mpn: OrNull,
    mobile_link: OrNull,
    additional_image_link: OrNull,
    taxonomy_product_category: OrNull,
    product_type: OrNull,
    inventory: nullable(Type.Integer()),
    sale_price: nullable(Price),
    sale_price_effective_date: OrNull,
    item_group_id: OrNull,
    item_group_key: OrNull,
    gender: nullable(words(PRODUCT_GENDERS)),
    color: OrNull,
    size: OrNull,
    age_group: nullable(words(AGE_GROUPS)),
    custom_label_0: OrNull,
    custom_label_1: OrNull,
    custom_label_2: OrNull,
    custom_label_3: OrNull,
    custom_label_4: OrNull,
  }),
)

const ProductError = component(
  'AdsProductError',
  Type.Object({
    code: Text,
    message: Text,
    parameter: Type.Optional(Text),
    details: Type.Optional(Text),
    value: Type.Optional(Type.Unknown()),
  }),
)

/** The result of each product of a PUT. */
export const PutReply = Type.Object({
  products_response: Type.Array(
    component(
      'AdsProductResult',
      Type.Object({
        warnings: Type.Array(ProductError),
        errors: Type.Array(ProductError),
        product_key: OrNull,
        id: Text,
        status: words(['CREATE_SUCCESS', 'UPDATE_SUCCESS', 'ERROR', 'NO_CHANGE']),
      }),
    ),
  ),
})

/** The result of each key of a DELETE. */
export const DeleteReply = Type.Object({
  delete_products: Type.Array(
    component('AdsProductDeletion', Type.Object({ product_key: OrNull, failed_product_key: OrNull, message: OrNull })),
  ),
})

/** A decimal key or id in a JSON body. */
export const NumericId = Type.String({ pattern: '^[0-9]{1,20}$' })
