import { webAddressKind } from '../creatives/web-address.ts'
import { AdsError, inclusiveParameters, invalidParameter, missingParameter } from '../kit/errors.ts'
import { COUNTRY_CODES } from '../targeting-options/data/countries.data.ts'
import type { CardComponent, Destination } from './card-components.schemas.ts'
import type { ComponentCardType } from './card-types.data.ts'

/** How a card is put together: one arrangement, or several slides. */
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

const DESTINATION_OF = { DETAILS: 'WEBSITE', BUTTON: 'APP' } as const
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

/** What is wrong with an arrangement in itself; whether its media fit is asked later. */
export function arrangementErrors({ components, slides }: Arrangement): AdsError[] {
  if (components) return componentsErrors(components, 'components')
  return (slides ?? []).flatMap((slide, at) => {
    const place = `slides[${at}]`
    const alien = slide.flatMap((component, index) =>
      component.type === 'MEDIA' || component.type === 'DETAILS'
        ? []
        : [invalidParameter(`${place}[${index}].type`, 'must be MEDIA or DETAILS in a slide', component.type)],
    )
    return alien.length > 0 ? alien : componentsErrors(slide, place)
  })
}

function componentsErrors(components: CardComponent[], place: string): AdsError[] {
  const media = components.filter(isMedia).length
  if (media !== 1)
    return [
      invalidParameter(
        place,
        'must have one media component (MEDIA or SWIPEABLE_MEDIA) and one of DETAILS and BUTTON',
        components.map((component) => component.type).join(','),
      ),
    ]
  if (components[1]?.type === 'SWIPEABLE_MEDIA')
    return [invalidParameter(place, 'must begin with SWIPEABLE_MEDIA where there is one')]
  return components.flatMap((component, at) => componentErrors(component, `${place}[${at}]`))
}

function componentErrors(component: CardComponent, place: string): AdsError[] {
  const { type, destination } = component
  const errors = memberErrors(component, MEMBERS[type], type, place)
  if (!destination || (type !== 'DETAILS' && type !== 'BUTTON')) return errors
  const there = `${place}.destination`
  const wanted = DESTINATION_OF[type]
  if (destination.type !== wanted)
    return [...errors, invalidParameter(`${there}.type`, `must be ${wanted} in ${type}`, destination.type)]
  const alien = Object.keys(destination).filter(
    (name) => name !== 'type' && !(DESTINATION_MEMBERS[wanted] as readonly string[]).includes(name),
  )
  errors.push(
    ...alien.map((name) => invalidParameter(`${there}.${name}`, `does not belong to a destination of type ${wanted}`)),
  )
  return [...errors, ...(wanted === 'WEBSITE' ? websiteErrors(destination, there) : appErrors(destination, there))]
}

/** Every component has its own members, all of them and no others. */
function memberErrors(
  component: CardComponent,
  members: readonly (keyof CardComponent)[],
  type: string,
  place: string,
): AdsError[] {
  const missing = members.filter((name) => component[name] === undefined)
  const alien = (Object.keys(component) as (keyof CardComponent)[]).filter(
    (name) => name !== 'type' && !members.includes(name),
  )
  return [
    ...missing.map((name) => missingParameter(`${place}.${name}`, `${type} needs ${members.join(' and ')}`)),
    ...alien.map((name) => invalidParameter(`${place}.${name}`, `does not belong to ${type}`)),
  ]
}

function websiteErrors({ url }: Destination, place: string): AdsError[] {
  if (url === undefined) return [missingParameter(`${place}.url`)]
  const read = webAddressKind.read(url, `${place}.url`)
  return read instanceof AdsError ? [read] : []
}

const PACKAGE_NAME = /^[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)+$/
const STORE_ID = /^[0-9]{1,20}$/

function appErrors(destination: Destination, place: string): AdsError[] {
  const {
    country_code: country,
    platform_a_app_id: packageName,
    platform_b_app_store_identifier: storeId,
  } = destination
  const errors: AdsError[] = []
  if (country === undefined) errors.push(missingParameter(`${place}.country_code`))
  else if (!COUNTRIES.has(country))
    errors.push(invalidParameter(`${place}.country_code`, 'must be a country code of ISO 3166-1 alpha-2', country))
  if (packageName === undefined && storeId === undefined)
    errors.push(
      missingParameter(
        `${place}.platform_a_app_id`,
        'at least one of platform_a_app_id and platform_b_app_store_identifier is needed',
      ),
    )
  if (packageName !== undefined && !PACKAGE_NAME.test(packageName))
    errors.push(invalidApp(`${place}.platform_a_app_id`, 'must be a package name', packageName))
  if (storeId !== undefined && !STORE_ID.test(storeId))
    errors.push(invalidApp(`${place}.platform_b_app_store_identifier`, 'must be the number of an app', storeId))
  return [...errors, ...deepLinkErrors(destination, place)]
}

const invalidApp = (parameter: string, details: string, value: string): AdsError =>
  new AdsError('INVALID_APP_ID', 'The app id is not valid', { parameter, details, value: value.slice(0, 200) })

const DEEP_LINKS = [
  ['platform_a_deep_link', 'platform_a_app_id'],
  ['platform_b_deep_link', 'platform_b_app_store_identifier'],
] as const

function deepLinkErrors(destination: Destination, place: string): AdsError[] {
  return DEEP_LINKS.flatMap(([link, id]) => {
    const value = destination[link]
    if (value === undefined) return []
    if (destination[id] === undefined) return [inclusiveParameters(`${place}.${link}`, `${link} needs ${id}`)]
    return URL.canParse(value)
      ? []
      : [invalidParameter(`${place}.${link}`, 'must be an address with a scheme', value.slice(0, 200))]
  })
}

/** A media that a card shows, and the parameter that names it. */
export interface NamedMedia {
  key: string
  parameter: string
}

/** The media of an arrangement, in their order. */
export function mediaOf({ components, slides }: Arrangement): NamedMedia[] {
  const ofComponents = (list: CardComponent[], place: string): NamedMedia[] =>
    list.flatMap((component, at) =>
      component.type === 'MEDIA'
        ? [{ key: component.media_key!, parameter: `${place}[${at}].media_key` }]
        : (component.media_keys ?? []).map((key, index) => ({
            key,
            parameter: `${place}[${at}].media_keys[${index}]`,
          })),
    )
  if (components) return ofComponents(components, 'components')
  return (slides ?? []).flatMap((slide, at) => ofComponents(slide, `slides[${at}]`))
}

/** The type of a card: what its media are, whether they are swiped, and where it leads. */
export function cardTypeOf({ components }: Arrangement, kinds: ReadonlySet<'IMAGE' | 'VIDEO'>): ComponentCardType {
  const isMixed = kinds.size > 1
  const kind = kinds.has('VIDEO') ? 'VIDEO' : 'IMAGE'
  if (!components) return isMixed ? 'MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE' : `${kind}_MULTI_DEST_CAROUSEL_WEBSITE`
  const where = components.some((component) => component.type === 'BUTTON') ? 'APP' : 'WEBSITE'
  if (!components.some((component) => component.type === 'SWIPEABLE_MEDIA')) return `${kind}_${where}`
  return isMixed ? `MIXED_MEDIA_SINGLE_DEST_CAROUSEL_${where}` : `${kind}_CAROUSEL_${where}`
}
