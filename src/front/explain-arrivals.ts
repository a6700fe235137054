import type { Arrivals } from './arrivals.ts'

/**
 * What to say after a program has run: nothing when its requests arrived. Otherwise the likely reason, since the program itself
 * often says only that something could not be reached.
 */
export function explainArrivals({ served, distrusted }: Arrivals, hasDirectRequests: boolean): string | undefined {
  const refused = [...distrusted].filter(([name]) => !served.has(name))
  if (refused.length > 0) {
    const names = refused.map(([name, reason]) => `${name} (${reason})`).join(', ')
    return (
      `The command connected to ${names}, but did not trust the certificate, so no request arrived there. ` +
      'It probably has its own list of trusted authorities. docs/clients.md says which programs need --isolate, and which cannot be helped.'
    )
  }
  if (served.size > 0 || hasDirectRequests) return undefined
  return (
    'Nothing reached the server while the command ran. Either it made no request to the platform, or it uses neither the proxy ' +
    'variables nor the files that are loaded first (an empty environment, a container, a tool that removes variables). ' +
    'docs/clients.md lists the ways in; --isolate works without variables.'
  )
}
