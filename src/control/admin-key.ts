import type { SecretBox } from '../process/secret-box.ts'

/** The key of the control interface. It is derived from the secret key, so all machines of an installation share it. */
export const adminKey = (secretBox: SecretBox): string => `rostra-admin-${secretBox.sign('admin key')}`
