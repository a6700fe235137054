import { PLATFORM_NAMES } from '../legacy-words.ts'

const names: ReadonlySet<string> = new Set(PLATFORM_NAMES)

/** Whether a host name is one of the platform's that are served here. */
export const isPlatformName = (host: string): boolean => names.has(host.toLowerCase().replace(/\.$/, ''))
