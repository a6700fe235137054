import type { SecretBox } from '../process/secret-box.ts'

/** The key of the control interface: made from the secret key, so that every machine of an installation knows it. */
export const adminKey = (secretBox: SecretBox): string => `rostra-admin-${secretBox.sign('admin key')}`
