// Variables that set up a server. Those of the process under test are about other programs: a DATABASE_URL is usually its own database.
const SETTINGS = /^(ROSTRA_|PG[A-Z]|PORT$|DATABASE_URL$|NATS_URL$)/
// What a test runner does with its own processes: debuggers, loaders and coverage are not for the server.
const OF_RUNNER = /^(NODE_OPTIONS$|NODE_V8_COVERAGE$|VITEST)/

/** The environment of this process without what would change a server that is started from it, and with `added`. */
export function environmentOfServer(added: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !OF_RUNNER.test(name) && !SETTINGS.test(name),
  )
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...added }
}

/** The data folder that commands of this process use. */
export const ownDataDir = (): string => process.env.ROSTRA_DATA_DIR || 'data'

/** The number of this worker of vitest; of those that run at the same time each has another. */
export const ownWorker = (): string => process.env.VITEST_POOL_ID ?? '1'
