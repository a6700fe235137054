import { outerEnvironment } from '../settings.ts'

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, grey: 90 } as const
export type Colour = keyof typeof CODES

/** Whether a stream shows colours: NO_COLOR and FORCE_COLOR decide, otherwise whether it is a terminal. */
export function hasColour(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv = outerEnvironment()): boolean {
  const { NO_COLOR = '', FORCE_COLOR } = environment
  if (NO_COLOR !== '') return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return stream.isTTY === true && environment.TERM !== 'dumb'
}

/** A text in a colour, where standard output shows colours. */
export const coloured = (colour: Colour, text: string): string =>
  hasColour(process.stdout) ? `\u001b[${CODES[colour]}m${text}\u001b[39m` : text

/** The colour of an HTTP status. */
export function statusColour(status: number): Colour {
  if (status >= 500) return 'red'
  if (status >= 400) return 'yellow'
  return status >= 300 ? 'cyan' : 'green'
}
