import { type Html, html } from '../../identity/pages/html.ts'

const SHORT = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const WITH_YEAR = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' })
const EXACT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A moment as people say it: how long ago on the same day, else the date. The exact one is its title. */
export function moment(iso: string | undefined, now: number): Html | '' {
  if (iso === undefined) return ''
  const date = new Date(iso)
  return html`<time datetime="${iso}" title="${EXACT.format(date)} UTC">${shortly(date, now)}</time>`
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The month of a moment. */
export const monthOf = (iso: string): Html => html`<time datetime="${iso}">${MONTH.format(new Date(iso))}</time>`

/** A moment with its date and time of day. */
export const exactMoment = (iso: string): Html =>
  html`<time datetime="${iso}">${EXACT.format(new Date(iso))} UTC</time>`

function shortly(date: Date, now: number): string {
  const seconds = Math.max(0, Math.round((now - date.getTime()) / 1000))
  if (seconds < 60) return 'now'
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`
  const isThisYear = date.getUTCFullYear() === new Date(now).getUTCFullYear()
  return (isThisYear ? SHORT : WITH_YEAR).format(date)
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** A number in as few letters as it needs: 1.2K. */
export const shortNumber = (value: number): string => COMPACT.format(value)
