/** The objects that an answer shows, by kind. */
export type ReturnedObjects = [kind: string, ids: readonly string[]][]

/** What a request costs. It grows when the objects of its answer are counted, which happens later. */
export interface RequestCost {
  micros: number
}
