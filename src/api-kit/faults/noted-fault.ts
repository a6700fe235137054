/** A fault as the request log shows it. */
export interface NotedFault {
  id: string
  effect: string
  value?: string
}

const UNITS: Record<string, string> = { delay: ' ms', stall: ' ms', drop: ' bytes' }

/** A fault in words. */
export const faultWords = ({ id, effect, value }: NotedFault): string =>
  `fault ${id}, ${value === undefined ? effect : `${effect} ${value}${UNITS[effect] ?? ''}`}`
