import type { Sealer } from '../process/sealer.ts'

/** The key of the control interface: made from the secret key, so that every machine of an installation knows it. */
export const adminKey = (sealer: Sealer): string => `rostra-admin-${sealer.sign('admin key')}`
