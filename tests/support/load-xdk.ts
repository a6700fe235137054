import type * as Xdk from '@xdevplatform/xdk'

/** Loads the library again: it keeps the global fetch of that moment, and test files share loaded modules. */
export const loadXdk = (reader: string): Promise<typeof Xdk> =>
  import(/* @vite-ignore */ `${import.meta.resolve('@xdevplatform/xdk')}?reader=${reader}`)
