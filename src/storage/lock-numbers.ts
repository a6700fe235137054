/** The advisory locks, each with a number of its own. */
export const LOCK = {
  migrations: 7_462_301,
  /** Followed by the number of a process. */
  machineNumber: 7_462_302,
  sequencer: 7_462_303,
  /** Followed by a number made from the name of a reader. */
  eventReader: 7_462_304,
  deliveries: 7_462_305,
  /** Followed by the number of a seed. */
  seed: 7_462_306,
  /** Shared by whatever fills the tables, exclusive for what empties them. */
  world: 7_462_307,
  /** Followed by a number made from app and endpoint. */
  streamConnections: 7_462_308,
  /** Followed by the number of a process that serves streams. */
  streamProcess: 7_462_309,
  adsTasks: 7_462_311,
  complianceJobs: 7_462_351,
  noteScoring: 7_462_356,
  /** Held while notes are scored. */
  noteScores: 7_462_357,
  sliceKeeper: 7_462_312,
  /** Held while slices of the search index are changed. */
  searchSlices: 7_462_313,
  deletedAccounts: 7_462_371,
  topics: 7_462_320,
  /** Followed by a number made from two users: shared by messages between them, exclusive for a block. */
  messagePair: 7_462_321,
  /** Held while the clock is moved and what falls due is done. */
  clock: 7_462_322,
  life: 7_462_382,
} as const
