import { createConversionEvent, getConversionAttribution } from './app-conversion-operations.ts'
import { appEventProviderConfigurations } from './app-event-provider-configuration.entity.ts'
import { appEventTags } from './app-event-tag.entity.ts'
import { sendWebConversions } from './web-conversions-operation.ts'
import { webEventTags } from './web-event-tag.entity.ts'

/** The operations of event tags and conversions. */
export const measurementOperations = [
  ...webEventTags.operations,
  ...appEventTags.operations,
  ...appEventProviderConfigurations.operations,
  createConversionEvent,
  getConversionAttribution,
  sendWebConversions,
]
