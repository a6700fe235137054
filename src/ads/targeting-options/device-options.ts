import { adsLegacyNaming } from '../../legacy-words.ts'
import { DEVICES } from './data/devices.data.ts'
import { PLATFORM_VERSIONS, PLATFORMS } from './data/platforms.data.ts'
import { byValue, option } from './option.ts'
import { targetingValue } from './targeting-value.ts'

export const OPERATING_SYSTEMS = ['Platform_A', 'Platform_B'] as const
export type OperatingSystem = (typeof OPERATING_SYSTEMS)[number]

/** The five platforms. */
export const PLATFORM_OPTIONS = PLATFORMS.map(({ value, name }) =>
  option(value, name, {}, [adsLegacyNaming.rename(name)]),
)
export const platformByValue = byValue(PLATFORM_OPTIONS)

/** The targeting value of an operating system's platform. */
export const platformOf = (os: OperatingSystem): string => PLATFORMS.find((item) => item.name === os)!.value

/** Devices with their manufacturers. */
export const DEVICE_OPTIONS = DEVICES.flatMap(({ os, manufacturer, names }) =>
  names
    .split('|')
    .map((name) =>
      option(targetingValue('device', `${manufacturer}/${name}`), name, { os, manufacturer }, [manufacturer]),
    ),
)
export const deviceByValue = byValue(DEVICE_OPTIONS)

/** Versions of the two mobile systems. */
export const VERSION_OPTIONS = PLATFORM_VERSIONS.flatMap(({ os, name, numbers }) =>
  numbers
    .split(' ')
    .map((number) =>
      option(targetingValue('platform_version', `${os}/${number}`), name ?? `${os} ${number}`, { os, number }, [
        adsLegacyNaming.rename(os),
        os,
        number,
      ]),
    ),
)
export const versionByValue = byValue(VERSION_OPTIONS)
