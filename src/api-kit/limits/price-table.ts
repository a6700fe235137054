/** Prices in micros: millionths of the currency. */
export interface PriceTable {
  currency: string
  /** For each object that a read returns, by kind. */
  objects: Readonly<Record<string, number>>
  /** For each object that a user reads of their own data; undefined when it costs the same. */
  ownedObject: number | undefined
  /** For each successful request, by operation. */
  operations: Readonly<Record<string, number>>
}
