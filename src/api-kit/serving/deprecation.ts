import type { Caller } from '../declaring/caller.ts'
import type { Deprecation } from '../declaring/operation.ts'
import type { Runtime } from '../runtime.ts'
import { defineSingleton } from '../singleton.ts'
import type { Headers } from './serve-request.ts'

/** Says in the headers of an answer that its operation is deprecated (RFC 9745), and what replaces it. */
export function addDeprecation(headers: Headers, { since, successor }: Deprecation, baseUrl: string): void {
  headers.deprecation = `@${since.getTime() / 1000}`
  headers.link = `<${baseUrl}${successor}>; rel="successor-version"`
}

/** The apps whose use of a deprecated operation was logged. */
export const deprecatedUses = defineSingleton({ name: 'deprecated uses', create: () => new Set<string>() })

/** Logs that an app uses a deprecated operation: one line for each app in each process. */
export function noteDeprecatedUse(id: string, { successor }: Deprecation, { app }: Caller, runtime: Runtime): void {
  const noted = runtime.singleton(deprecatedUses)
  const key = `${id} ${app.id}`
  if (noted.has(key)) return
  noted.add(key)
  runtime.log.warn(
    { operation: id, app: app.id },
    `the app ${app.name} uses a deprecated operation; ${successor} replaces it`,
  )
}
