import { percentEncode, signature, signatureBase } from './signature.ts'

type Pairs = readonly (readonly [string, string])[]

/** What a client may have signed instead of what the server expects. */
export interface SignedOtherwise {
  /** The text that it signed. */
  base: string
  /** What it did otherwise, in words. */
  mistake: string
}

interface Signed {
  method: string
  /** The addresses that the server accepts; the one that the client used first. */
  urls: readonly string[]
  pairs: Pairs
  /** Names of the pairs that come from the query and from a form. */
  queryNames: ReadonlySet<string>
  formNames: ReadonlySet<string>
  given: string
  consumerSecret: string
  tokenSecret: string
  /** How a value is shown: secrets are not. */
  show: (name: string, value: string) => string
}

interface Variant<T> {
  value: T
  mistake: string
}

const addressVariants = (urls: readonly string[], query: string): Variant<string>[] => {
  const [url = ''] = urls
  const swapped = url.startsWith('https:') ? url.replace(/^https:/, 'http:') : url.replace(/^http:/, 'https:')
  const variants: Variant<string>[] = [
    ...urls.map((value) => ({ value, mistake: '' })),
    { value: swapped, mistake: `it signed ${swapped.split(':', 1)[0]} instead of ${url.split(':', 1)[0]}` },
    { value: url.replace(/:\d+(?=\/)/, ''), mistake: 'it left the port out of the address' },
    { value: `${url}/`, mistake: 'it signed a slash at the end of the address' },
    { value: url.replace(/\/$/, ''), mistake: 'it left out the slash at the end of the address' },
  ]
  if (query !== '') variants.push({ value: `${url}?${query}`, mistake: 'it signed the query as a part of the address' })
  return variants
}

function pairVariants({ pairs, queryNames, formNames }: Signed): Variant<Pairs>[] {
  const without = (names: ReadonlySet<string>) => pairs.filter(([name]) => !names.has(name))
  return [
    { value: pairs, mistake: '' },
    { value: without(queryNames), mistake: 'it did not sign the parameters of the query' },
    { value: without(formNames), mistake: 'it did not sign the fields of the form' },
    { value: without(new Set([...queryNames, ...formNames])), mistake: 'it signed only the oauth parameters' },
    { value: without(new Set(['oauth_token'])), mistake: 'it did not sign oauth_token' },
    { value: without(new Set(['oauth_version'])), mistake: 'it did not sign oauth_version' },
    {
      value: pairs.map(([name, value]) => [name, value.replaceAll(' ', '+')] as const),
      mistake: 'it wrote spaces as plus signs, which must be %20',
    },
    {
      value: pairs.map(([name, value]) => [name, percentEncode(value)] as const),
      mistake: 'it encoded the values once too often',
    },
  ]
}

/** The parameters in the order in which they were sent. */
const unsorted = (method: string, url: string, pairs: Pairs): string =>
  [method, url, pairs.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&')]
    .map(percentEncode)
    .join('&')

/** The parameters encoded once, where they have to be encoded twice. */
const encodedOnce = (method: string, url: string, pairs: Pairs): string => {
  const sorted = [...pairs].sort(([left], [right]) => (left < right ? -1 : 1))
  return [method, url, sorted.map(([name, value]) => `${name}=${value}`).join('&')].map(percentEncode).join('&')
}

// Trying takes some milliseconds: whoever sends many wrong signatures must not make the server busy with it.
const MOST_CHARACTERS = 8_000
const PAUSE_MS = 100
let explainedAt = Number.NEGATIVE_INFINITY

function mayExplain(): boolean {
  const now = performance.now()
  if (now - explainedAt < PAUSE_MS) return false
  explainedAt = now
  return true
}

const lengthOf = (pairs: Pairs): number => pairs.reduce((sum, [name, value]) => sum + name.length + value.length, 0)

/**
 * Looks for what a client signed, when its signature is not that of the base string: tries the mistakes that clients make, one or
 * two at a time, and returns the one whose signature is the one received. A few hundred digests, only for refused requests.
 */
export function explainSignature(signed: Signed, query: string): SignedOtherwise | undefined {
  if (query.length > MOST_CHARACTERS || lengthOf(signed.pairs) > MOST_CHARACTERS || !mayExplain()) return undefined
  const { method, given, consumerSecret, tokenSecret } = signed
  const shown = (pairs: Pairs): Pairs => pairs.map(([name, value]) => [name, signed.show(name, value)] as const)
  const keys: Variant<[string, string]>[] = [
    { value: [consumerSecret, tokenSecret], mistake: '' },
    { value: [consumerSecret, ''], mistake: 'it signed without the token secret' },
    { value: ['', tokenSecret], mistake: 'it signed without the consumer secret' },
    { value: [tokenSecret, consumerSecret], mistake: 'it exchanged the consumer secret and the token secret' },
  ]
  const forms: Variant<typeof signatureBase>[] = [
    { value: signatureBase, mistake: '' },
    { value: unsorted, mistake: 'it did not sort the parameters' },
    { value: encodedOnce, mistake: 'it encoded the parameters once instead of twice' },
    {
      value: (...parts) => signatureBase(...parts).replace(/^[A-Z]+/, (word) => word.toLowerCase()),
      mistake: 'it wrote the method in lower case',
    },
  ]
  for (const form of forms)
    for (const address of addressVariants(signed.urls, query))
      for (const pairs of pairVariants(signed))
        for (const key of keys) {
          const mistakes = [form.mistake, address.mistake, pairs.mistake, key.mistake].filter((words) => words !== '')
          if (mistakes.length > 2 || !URL.canParse(address.value)) continue
          if (signature(form.value(method, address.value, pairs.value), ...key.value) === given)
            return { base: form.value(method, address.value, shown(pairs.value)), mistake: mistakes.join(', and ') }
        }
  return undefined
}
