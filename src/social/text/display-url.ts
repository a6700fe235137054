// From the platform's own samples: the host is always complete, what follows it is cut.
const LONGEST_AFTER_HOST = 15

/** The address that a link leads to: a bare domain gets a scheme. */
export function expandedUrl(typed: string): string {
  return /^https?:\/\//i.test(typed) ? typed : `http://${typed}`
}

/** How a link is displayed: without scheme and `www.`, and cut when it is long. */
export function displayUrl(expanded: string): string {
  const shown = expanded.replace(/^https?:\/\/(?:www\.)?/i, '')
  const hostEnd = shown.search(/[/?#]/)
  if (hostEnd === -1) return shown
  const rest = shown.slice(hostEnd)
  if (rest === '/') return shown.slice(0, hostEnd)
  return rest.length > LONGEST_AFTER_HOST ? `${shown.slice(0, hostEnd + LONGEST_AFTER_HOST)}…` : shown
}
