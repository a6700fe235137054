import { type Html, raw } from '../../identity/pages/html.ts'

// Drawn on a grid of 24, as lines of the text colour.
const SHAPES = {
  home: 'M4 11l8-7 8 7M6 10v10h12V10M10 20v-6h4v6',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  bell: 'M6 17V11a6 6 0 1 1 12 0v6l2 2H4zM10 21h4',
  mail: 'M3 6h18v13H3zM3 7l9 7 9-7',
  bookmark: 'M6 4h12v17l-6-5-6 5z',
  list: 'M5 6h14M5 12h14M5 18h9',
  people: 'M9 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM3 20c0-4 3-6 6-6s6 2 6 6M16 6a3 3 0 0 1 0 5M18 14c2 1 3 3 3 6',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-5 4-7 8-7s8 2 8 7',
  settings: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M6 6l2 2M16 16l2 2M18 6l-2 2M8 16l-2 2',
  trend: 'M3 17l6-6 4 4 8-9M15 6h6v6',
  reply: 'M4 5h16v11h-9l-5 4v-4H4z',
  repost: 'M4 10V8h13l-3-3M20 14v2H7l3 3',
  like: 'M12 20S4 15 4 9.500A4.500 4.500 0 0 1 12 7a4.500 4.500 0 0 1 8 2.500C20 15 12 20 12 20z',
  view: 'M5 19v-6M12 19V5M19 19v-9',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  quote: 'M5 5h14v10H9l-4 4zM9 9h6M9 12h4',
  lock: 'M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3',
  place: 'M12 21s7-6 7-11a7 7 0 0 0-14 0c0 5 7 11 7 11zM12 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
  verified:
    'M12 3l2.500 2 3-.5 1 3 2.500 2-1.500 2.500 1.500 2.500-2.500 2-1 3-3-.5-2.500 2-2.500-2-3 .5-1-3-2.500-2L5 12l-1.500-2.500 2.500-2 1-3 3 .5zM8.500 12l2.500 2.500 4.500-5',
  pin: 'M9 4h6l-1 6 3 3H7l3-3zM12 13v8',
} as const

export type IconName = keyof typeof SHAPES

const drawn = new Map<IconName, Html>()

/** A small picture beside a text that says the same. */
export function icon(name: IconName): Html {
  const known = drawn.get(name)
  if (known) return known
  const made = raw(
    `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${SHAPES[name]}"/></svg>`,
  )
  drawn.set(name, made)
  return made
}
