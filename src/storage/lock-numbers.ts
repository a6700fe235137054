/** The advisory locks that processes hold against each other: one number each, so that no two ever mean the same. */
export const LOCK = {
  migrations: 7_462_301,
  /** With the number of a machine behind it. */
  machineNumber: 7_462_302,
  sequencer: 7_462_303,
  /** With a reader behind it. */
  eventReader: 7_462_304,
  deliveries: 7_462_305,
  /** With the number of a seed behind it. */
  seed: 7_462_306,
  /** Shared by those who fill the tables, held alone by who empties them. */
  world: 7_462_307,
  /** With a stream's caller behind it. */
  streamConnections: 7_462_308,
  adsTasks: 7_462_311,
} as const
