import type { Part } from '../../api-kit/declaring/part.ts'
import type { OldObject } from '../posts/old-style-json.ts'
import type { placeRow } from './place.object.ts'

type PlaceRow = typeof placeRow extends Part<infer V> ? V : never

/** A place in the style of version 1.1. */
export function oldPlace(row: PlaceRow): OldObject {
  const [west, south, east, north] = row.bbox as [number, number, number, number]
  const corners = [
    [west, south],
    [west, north],
    [east, north],
    [east, south],
  ]
  return {
    id: row.id,
    place_type: row.place_type,
    name: row.name,
    full_name: row.full_name,
    country_code: row.country_code,
    country: row.country,
    bounding_box: { type: 'Polygon', coordinates: [corners] },
  }
}
