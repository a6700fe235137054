import type { PlaceRow } from '../places/place.object.ts'
import type { V1Object } from './v1-json.ts'

/** A place in the shape of version 1.1. */
export function composeV1Place(row: PlaceRow): V1Object {
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
