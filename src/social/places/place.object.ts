import { defineObject, staticField } from '../../api-kit/declaring/object.ts'
import { definePart, keyedBy } from '../../api-kit/declaring/part.ts'
import { component, Type, words } from '../../api-kit/declaring/schema.ts'
import { fold } from '../../search/tokenize.ts'
import { type RowOf, statement } from '../../storage/statement.ts'
import { CountryCode, PlaceId } from '../ids.ts'

const placeColumns = {
  id: 'text',
  full_name: 'text',
  name: 'text',
  country: 'text',
  country_code: 'text',
  place_type: 'text',
  bbox: 'jsonb',
  contained_within: 'text[]',
} as const

/** What is stored of a place. */
export type PlaceRow = RowOf<typeof placeColumns>

const placesById = statement(
  'places_by_id',
  placeColumns,
  `select id, full_name, name, country, country_code, place_type, to_jsonb(bbox) as bbox, contained_within from place where id = any($1::text[])`,
)

export const placeRow = definePart('place', 'row', async (db, ids) =>
  keyedBy((row) => row.id, await placesById.all(db, ids)),
)

const placeNames = statement('place_names', { id: 'text', name: 'text' }, 'select id, name from place order by id')

/** Ids of places by folded name. There are few places, all of them set up with the first world. */
export const placesByName = definePart('place_name', 'ids', async (db, names) => {
  const wanted = new Map<string, string[]>(names.map((name) => [name, []]))
  for (const { id, name } of await placeNames.all(db)) wanted.get(fold(name))?.push(id)
  return wanted
})

const Text = Type.String()
const Coordinate = Type.Number({ minimum: -180, maximum: 180, format: 'double' })

/** The object `place` of the interface. */
export const place = defineObject({
  name: 'place',
  resource: 'place',
  plural: 'places',
  component: 'Place',
  always: ['id', 'full_name'],
  existence: placeRow,
  fields: {
    id: staticField(placeRow, PlaceId, (row) => row.id),
    full_name: staticField(placeRow, Text, (row) => row.full_name),
    name: staticField(placeRow, Text, (row) => row.name),
    country: staticField(placeRow, Text, (row) => row.country),
    country_code: staticField(placeRow, CountryCode, (row) => row.country_code),
    place_type: staticField(
      placeRow,
      component('PlaceType', words(['poi', 'neighborhood', 'city', 'admin', 'country', 'unknown'])),
      (row) => row.place_type as 'city',
    ),
    contained_within: staticField(placeRow, Type.Array(PlaceId, { minItems: 1 }), (row) =>
      row.contained_within.length === 0 ? undefined : row.contained_within,
    ),
    geo: staticField(
      placeRow,
      component(
        'Geo',
        Type.Object({
          bbox: Type.Array(Coordinate, { minItems: 4, maxItems: 4 }),
          properties: Type.Object({}),
          type: words(['Feature']),
        }),
      ),
      (row) => ({ type: 'Feature' as const, bbox: row.bbox as number[], properties: {} }),
    ),
  },
})
