import { COUNTRY_CODES } from '../../social/places/data/countries.data.ts'
import { packageNameKind, storeNumberKind } from '../app-store-ids.ts'
import { webAddressKind } from '../creatives/web-address.ts'
import { AdsError, inclusiveParameters, invalidParameter, missingParameter } from '../kit/errors.ts'
import type { Kind } from '../kit/values.ts'
import type { CardComponent, Destination } from './card-components.schemas.ts'
import type { ComponentCardType } from './card-types.data.ts'

/** What a card consists of: one list of components, or several slides. */
export interface Arrangement {
  components: CardComponent[] | null
  slides: CardComponent[][] | null
}

const COUNTRIES: ReadonlySet<string> = new Set(COUNTRY_CODES)
const MEMBERS = {
  MEDIA: ['media_key'],
  SWIPEABLE_MEDIA: ['media_keys'],
  DETAILS: ['title', 'destination'],
  BUTTON: ['label', 'destination'],
} as const satisfies Record<CardComponent['type'], readonly (keyof CardComponent)[]>

const DESTINATION_TYPES = { DETAILS: 'WEBSITE', BUTTON: 'APP' } as const
const DESTINATION_MEMBERS = {
  WEBSITE: ['url'],
  APP: [
    'country_code',
    'platform_a_app_id',
    'platform_b_app_store_identifier',
    'platform_a_deep_link',
    'platform_b_deep_link',
  ],
} as const satisfies Record<Destination['type'], readonly (keyof Destination)[]>

const isMedia = (component: CardComponent): boolean =>
  component.type === 'MEDIA' || component.type === 'SWIPEABLE_MEDIA'

/** The errors of an arrangement in itself; its media items are checked later. */
export function arrangementErrors({ components, slides }: Arrangement): AdsError[] {
  if (components) return componentsErrors(components, 'components')
  return (slides ?? []).flatMap((slide, at) => {
    const parameter = `slides[${at}]`
    const unexpected = slide.flatMap((component, index) =>
      component.type === 'MEDIA' || component.type === 'DETAILS'
        ? []
        : [invalidParameter(`${parameter}[${index}].type`, 'must be MEDIA or DETAILS in a slide', component.type)],
    )
    return unexpected.length > 0 ? unexpected : componentsErrors(slide, parameter)
  })
}

function componentsErrors(components: CardComponent[], parameter: string): AdsError[] {
  if (components.filter(isMedia).length !== 1)
    return [
      invalidParameter(
        parameter,
        'must have one media component (MEDIA or SWIPEABLE_MEDIA) and one component of type DETAILS or BUTTON',
        components.map((component) => component.type).join(','),
      ),
    ]
  if (components[1]?.type === 'SWIPEABLE_MEDIA')
    return [invalidParameter(parameter, 'must begin with the SWIPEABLE_MEDIA component')]
  return components.flatMap((component, at) => componentErrors(component, `${parameter}[${at}]`))
}

function componentErrors(component: CardComponent, parameter: string): AdsError[] {
  const { type, destination } = component
  const errors = memberErrors(component, MEMBERS[type], type, parameter)
  if (!destination || (type !== 'DETAILS' && type !== 'BUTTON')) return errors
  const expected = DESTINATION_TYPES[type]
  return [...errors, ...destinationErrors(destination, type, expected, `${parameter}.destination`)]
}

function destinationErrors(
  destination: Destination,
  componentType: string,
  expected: Destination['type'],
  parameter: string,
): AdsError[] {
  if (destination.type !== expected)
    return [invalidParameter(`${parameter}.type`, `must be ${expected} in ${componentType}`, destination.type)]
  const members: readonly string[] = DESTINATION_MEMBERS[expected]
  const unexpected = Object.keys(destination).filter((name) => name !== 'type' && !members.includes(name))
  return [
    ...unexpected.map((name) =>
      invalidParameter(`${parameter}.${name}`, `does not belong to a destination of type ${expected}`),
    ),
    ...(expected === 'WEBSITE' ? websiteErrors(destination, parameter) : appErrors(destination, parameter)),
  ]
}

/** Every component has its own members, all of them and no others. */
function memberErrors(
  component: CardComponent,
  members: readonly (keyof CardComponent)[],
  type: string,
  parameter: string,
): AdsError[] {
  const missing = members.filter((name) => component[name] === undefined)
  const names: readonly string[] = members
  const unexpected = Object.keys(component).filter((name) => name !== 'type' && !names.includes(name))
  return [
    ...missing.map((name) => missingParameter(`${parameter}.${name}`, `${type} needs ${members.join(' and ')}`)),
    ...unexpected.map((name) => invalidParameter(`${parameter}.${name}`, `does not belong to ${type}`)),
  ]
}

function websiteErrors({ url }: Destination, parameter: string): AdsError[] {
  if (url === undefined) return [missingParameter(`${parameter}.url`)]
  const read = webAddressKind.read(url, `${parameter}.url`)
  return read instanceof AdsError ? [read] : []
}

function appErrors(destination: Destination, parameter: string): AdsError[] {
  const {
    country_code: country,
    platform_a_app_id: packageName,
    platform_b_app_store_identifier: storeNumber,
  } = destination
  const errors: AdsError[] = []
  if (country === undefined) errors.push(missingParameter(`${parameter}.country_code`))
  else if (!COUNTRIES.has(country))
    errors.push(invalidParameter(`${parameter}.country_code`, 'must be an ISO 3166-1 alpha-2 country code', country))
  if (packageName === undefined && storeNumber === undefined)
    errors.push(
      missingParameter(
        `${parameter}.platform_a_app_id`,
        'at least one of platform_a_app_id and platform_b_app_store_identifier is needed',
      ),
    )
  return [
    ...errors,
    ...appIdErrors(packageName, packageNameKind, `${parameter}.platform_a_app_id`),
    ...appIdErrors(storeNumber, storeNumberKind, `${parameter}.platform_b_app_store_identifier`),
    ...deepLinkErrors(destination, parameter),
  ]
}

function appIdErrors(id: string | undefined, kind: Kind<string>, parameter: string): AdsError[] {
  if (id === undefined) return []
  const read = kind.read(id, parameter)
  return read instanceof AdsError ? [read.with({ code: 'INVALID_APP_ID', message: 'The app id is not valid' })] : []
}

const DEEP_LINKS = [
  ['platform_a_deep_link', 'platform_a_app_id'],
  ['platform_b_deep_link', 'platform_b_app_store_identifier'],
] as const

function deepLinkErrors(destination: Destination, parameter: string): AdsError[] {
  return DEEP_LINKS.flatMap(([link, id]) => {
    const value = destination[link]
    if (value === undefined) return []
    if (destination[id] === undefined) return [inclusiveParameters(`${parameter}.${link}`, `${link} needs ${id}`)]
    return URL.canParse(value)
      ? []
      : [invalidParameter(`${parameter}.${link}`, 'must be an address with a scheme', value.slice(0, 200))]
  })
}

/** A media item that a card shows, and the parameter that names it. */
export interface NamedMedia {
  key: string
  parameter: string
}

/** The media items of an arrangement, in their order. */
export function mediaOf({ components, slides }: Arrangement): NamedMedia[] {
  const ofComponents = (list: CardComponent[], parameter: string): NamedMedia[] =>
    list.flatMap((component, at) =>
      component.type === 'MEDIA'
        ? [{ key: component.media_key!, parameter: `${parameter}[${at}].media_key` }]
        : (component.media_keys ?? []).map((key, index) => ({
            key,
            parameter: `${parameter}[${at}].media_keys[${index}]`,
          })),
    )
  if (components) return ofComponents(components, 'components')
  return (slides ?? []).flatMap((slide, at) => ofComponents(slide, `slides[${at}]`))
}

/** The type of a card: what its media items are, whether readers swipe through them, and where it leads. */
export function cardTypeOf({ components }: Arrangement, kinds: ReadonlySet<'IMAGE' | 'VIDEO'>): ComponentCardType {
  const isMixed = kinds.size > 1
  const kind = kinds.has('VIDEO') ? 'VIDEO' : 'IMAGE'
  if (!components) return isMixed ? 'MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE' : `${kind}_MULTI_DEST_CAROUSEL_WEBSITE`
  const destination = components.some((component) => component.type === 'BUTTON') ? 'APP' : 'WEBSITE'
  if (!components.some((component) => component.type === 'SWIPEABLE_MEDIA')) return `${kind}_${destination}`
  return isMixed ? `MIXED_MEDIA_SINGLE_DEST_CAROUSEL_${destination}` : `${kind}_CAROUSEL_${destination}`
}
