import { computed, signal } from '@preact/signals'

const ROOT = '/_rostra/console'

/** Where the console is, with the mount path, as the address of the browser has it. */
const base = location.pathname.slice(0, location.pathname.indexOf(ROOT) + ROOT.length)
/** The mount path. Addresses of the server begin with it. */
export const mount = base.slice(0, -ROOT.length)

const address = signal(location.pathname.slice(base.length) + location.search)

/** The parts of the path after the console's own: the page, then what the page makes of the rest. */
export const path = computed(() =>
  address.value
    .split('?')[0]!
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent),
)
/** The query of the address: filters are kept there, so a page can be sent to somebody and the back button works. */
export const query = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''))

/** An address of the console, for links: `href('requests', '123', { refused: 'true' })`. */
export function href(...parts: (string | Record<string, string | undefined>)[]): string {
  const names = parts.filter((part) => typeof part === 'string')
  const given = parts.find((part) => typeof part === 'object') ?? {}
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) if (value !== undefined && value !== '') search.set(name, value)
  const text = search.toString()
  return `${base}/${names.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`
}

/** Goes to an address of the console. */
export function go(to: string, options: { replace?: boolean } = {}): void {
  history[options.replace ? 'replaceState' : 'pushState'](null, '', to)
  address.value = location.pathname.slice(base.length) + location.search
}

/** Changes one filter in the address. An empty value removes it. */
export function setQuery(name: string, value: string | undefined): void {
  const next = new URLSearchParams(query.value)
  if (value === undefined || value === '') next.delete(name)
  else next.set(name, value)
  go(href(...path.value, Object.fromEntries(next)), { replace: true })
}

addEventListener('popstate', () => {
  address.value = location.pathname.slice(base.length) + location.search
})

// Links inside the console do not load the page again.
document.addEventListener('click', (event) => {
  const link = (event.target as Element).closest?.('a[href]') as HTMLAnchorElement | null
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
  if (link.target !== '' || link.origin !== location.origin || !`${link.pathname}/`.startsWith(`${base}/`)) return
  event.preventDefault()
  go(link.pathname + link.search)
  document.querySelector('main')?.focus()
})
