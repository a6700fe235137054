import type { Credentials } from './types.ts'

/** The variables of a server for programs under test. */
export async function variablesOf(credentials: Credentials, dataDir?: string): Promise<Record<string, string>> {
  // Loaded while a server starts, not with the kit.
  const { credentialVariables } = await import('../front/environment.ts')
  return credentialVariables(credentials, dataDir).named
}
