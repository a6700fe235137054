import type * as Xdk from '@xdevplatform/xdk'

/** The library loaded anew: it takes the global fetch of the moment, and test files share what was loaded before. */
export const loadXdk = (reader: string): Promise<typeof Xdk> =>
  import(/* @vite-ignore */ `${import.meta.resolve('@xdevplatform/xdk')}?reader=${reader}`)
