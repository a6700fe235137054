import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { realNow } from '../process/clock.ts'
import type { Authority } from './authority.ts'
import { BUNDLE_VARIABLES, javaTrustStore, trustedCertificates } from './trust.ts'

/** Files with the authorities that programs should trust. */
export interface TrustFiles {
  bundle: string
  javaStore: string
}

export const trustFilesIn = (folder: string): TrustFiles => ({
  bundle: path.join(folder, 'bundle.pem'),
  javaStore: path.join(folder, 'trust.jks'),
})

/** Writes the authorities of the system and ours into a folder, in the forms that programs read. */
export function writeTrustFiles(folder: string, authority: Authority, environment: NodeJS.ProcessEnv): TrustFiles {
  const certificates = trustedCertificates(environment, authority.certificate)
  const files = trustFilesIn(folder)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  writeFileSync(files.bundle, `${certificates.join('\n')}\n`, { mode: 0o644 })
  writeFileSync(files.javaStore, javaTrustStore(certificates, realNow()), { mode: 0o644 })
  return files
}

/** The variables by which programs find these files; Java's is an option among others. */
export const bundleVariables = ({ bundle }: TrustFiles): Record<string, string> =>
  Object.fromEntries(BUNDLE_VARIABLES.map((name) => [name, bundle]))
export const javaTrustOption = ({ javaStore }: TrustFiles): string => `-Djavax.net.ssl.trustStore=${javaStore}`
