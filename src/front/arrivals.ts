/** What came to the front while a program ran: the best diagnosis when nothing worked. */
export interface Arrivals {
  /** Connections that sent at least a byte of a request, by name. */
  served: Map<string, number>
  /** Names to which a program connected but did not trust the certificate, with what TLS said. */
  distrusted: Map<string, string>
}

export const noArrivals = (): Arrivals => ({ served: new Map(), distrusted: new Map() })

export function countServed({ served }: Arrivals, name: string): void {
  served.set(name, (served.get(name) ?? 0) + 1)
}
